"""Measure what analysing a collection costs beside the bare engine on the same clean files, and how fast it is read."""

import base64
import subprocess
import time
import zipfile
from pathlib import Path

from bgrating.collection.batches import read_batch
from bgrating.collection.collection import make_plan
from bgrating.engine import levels
from bgrating.engine.commands import analysis_commands
from bgrating.engine.locate import Engine
from bgrating.play.designs import Shard
from bgrating.play.shards import ANALYSIS_CLOCK, Limits, play_shard
from study.bench.measure import STUDY, Cost, Measure, cost, run_workflow

LEVEL = "0-ply"
ROLLS = 143
"""Rolls of both players in a human match, the mean of 1,318 real ones of 1 to 25 points."""


def human_measures(engine: Engine, folder: Path, few: int = 100, many: int = 500) -> list[Measure]:
    """Run the measures in an empty folder; they take some minutes."""
    _play(engine, folder, many)
    small, large = _collection(folder, few), _collection(folder, many)
    # Snakemake's own start is paid once a collection: files are charged with what more of them cost.
    ours = _run(engine, folder, large).cpu - _run(engine, folder, small).cpu
    started = time.process_time()
    read = folder / "read"
    plan = make_plan(str(large), read / "readings.jsonl", folder, levels.analysis(LEVEL), read / "batches")
    seconds = time.process_time() - started
    contents = [one for batch in plan.batches for one in read_batch(read / "batches" / f"{batch}.zip")]
    human_matches = sum(content["rolls"] for content in contents) / ROLLS
    texts = [base64.b64decode(content["data"]) for content in contents]
    bare = _bare(engine, folder, texts[few:]).cpu
    # The bare engine is given clean files; what making them costs is measured by itself.
    ours -= seconds * (many - few) / many
    return [
        Measure("CPU of a collection's analysis, without reading, beside the bare engine", ours / bare, 1.1, True),
        Measure(
            f"seconds to read 1,000 matches of {ROLLS} rolls without analysis",
            1000 * seconds / human_matches,
            5.0,
            True,
        ),
    ]


def _play(engine: Engine, folder: Path, matches: int) -> None:
    task = STUDY.task(STUDY.points[0], Shard(0, matches))
    play_shard(engine, task, folder / "played.zip", Limits(3600.0, folder / "engine.log"))


def _collection(folder: Path, matches: int) -> Path:
    place = folder / f"collection-{matches}"
    with zipfile.ZipFile(folder / "played.zip") as packed:
        packed.extractall(place, packed.namelist()[:matches])
    return place


def _run(engine: Engine, folder: Path, collection: Path) -> Cost:
    """Read and analyse a collection on one core, up to its tables."""
    target = f"human/{collection.name}/files.csv"
    return run_workflow(engine, folder / "results", target, 1, f"collection={collection}", f"analysis={LEVEL}")


def _bare(engine: Engine, folder: Path, texts: list[bytes]) -> Cost:
    """Import and analyse clean files with the engine and its own commands alone."""
    commands = list(analysis_commands(levels.analysis(LEVEL)))
    for number, text in enumerate(texts):
        path = folder / f"bare-{number:05d}.mat"
        path.write_bytes(text)
        commands += [f'import mat "{path}"', "analyse match", "show statistics match"]
    script = folder / "commands.py"
    script.write_text(f"import gnubg\nfor command in {commands!r}:\n    gnubg.command(command)\n", encoding="utf-8")
    environment = engine.environment(ANALYSIS_CLOCK, "analyse") | {
        "BGRATING_INSIDE": str(script),
        "HOME": str(folder),
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
    }
    command, nothing = engine.command(script), subprocess.DEVNULL
    return cost(lambda: subprocess.run(command, env=environment, cwd=folder, stdin=nothing, stdout=nothing, check=True))
