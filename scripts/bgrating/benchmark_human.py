"""Measure what analysing a collection costs beside bare gnubg given the same clean files, and how fast it is read."""

import base64
import os
import sys
import time
import zipfile
from pathlib import Path

from bgrating import designs, levels
from bgrating.benchmark import LENGTH, OPPONENT, PLAYER, PROJECT, STUDY, Cost, Measure, cost
from bgrating.engine.commands import analysis_commands
from bgrating.engine.locate import Engine
from bgrating.human.batches import read_batch
from bgrating.human.plan import make_plan
from bgrating.shards import Limits, play_shard

LEVEL = "0-ply"
ROLLS = 143
"""Rolls of both players in a human match, the mean of 1,318 real ones of 1 to 25 points."""


def human_measures(engine: Engine, folder: Path, few: int = 100, many: int = 500) -> list[Measure]:
    """Run the measures in an empty folder; they take some minutes."""
    _play(engine, folder, many)
    small, large = _collection(folder, few), _collection(folder, many)
    # Snakemake's own start is paid once a collection: files are charged with what more of them cost.
    ours = _run(folder, large).cpu - _run(folder, small).cpu
    started = time.process_time()
    read = folder / "read"
    plan = make_plan(str(large), read / "readings.jsonl", folder, levels.analysis(LEVEL), read / "batches")
    seconds = time.process_time() - started
    contents = [one for batch in plan.batches for one in read_batch(read / "batches" / f"{batch}.zip")]
    human_matches = sum(content["rolls"] for content in contents) / ROLLS
    texts = [base64.b64decode(content["data"]) for content in contents]
    bare = _bare(engine, folder, texts[few:]).cpu
    # Bare gnubg is given clean files; what making them costs is measured by itself.
    ours -= seconds * (many - few) / many
    return [
        Measure("CPU of a collection's analysis, without reading, beside bare gnubg", ours / bare, 1.1, True),
        Measure(
            f"seconds to read 1,000 matches of {ROLLS} rolls without analysis",
            1000 * seconds / human_matches,
            5.0,
            True,
        ),
    ]


def _play(engine: Engine, folder: Path, matches: int) -> None:
    players = (levels.player(PLAYER), levels.player(OPPONENT))
    play_shard(
        engine,
        players,
        LENGTH,
        study_seed=designs.design(STUDY).seed,
        shard=0,
        matches=matches,
        archive=folder / "played.zip",
        limits=Limits(3600.0, folder / "engine.log"),
    )


def _collection(folder: Path, matches: int) -> Path:
    place = folder / f"collection-{matches}"
    with zipfile.ZipFile(folder / "played.zip") as packed:
        packed.extractall(place, packed.namelist()[:matches])
    return place


def _run(folder: Path, collection: Path) -> Cost:
    """Read and analyse a collection on one core, up to its tables."""
    results = folder / "results"
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "--nolock"]
    command.append(str(results / "human" / collection.name / "files.csv"))
    settings = ["--config", f"collection={collection}", f"results={results}", f"analysis={LEVEL}"]
    return cost([*command, *settings], os.environ, PROJECT)


def _bare(engine: Engine, folder: Path, texts: list[bytes]) -> Cost:
    """Import and analyse clean files with gnubg and its own commands alone."""
    commands = list(analysis_commands(levels.analysis(LEVEL)))
    for number, text in enumerate(texts):
        path = folder / f"bare-{number:05d}.mat"
        path.write_bytes(text)
        commands += [f'import mat "{path}"', "analyse match", "show statistics match"]
    script = folder / "commands.txt"
    script.write_text("\n".join([*commands, ""]), encoding="utf-8")
    environment = {"HOME": str(folder), "TZ": "UTC", "LC_ALL": "C.UTF-8"}
    with script.open("rb") as standard_input:
        return cost([str(engine.program), "-t", "-q", "-r"], environment, folder, standard_input.fileno())
