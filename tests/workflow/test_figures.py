"""Figures differ only under another number of the code of figures (ANALYSIS): each column has a
frozen digest.

`python tests/workflow/test_figures.py` writes the digests, after the number was raised.
"""

import hashlib
import json
import tempfile
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bgrating.analysis import ANALYSIS
from bgrating.collection.readings import read_data
from bgrating.engine import levels
from bgrating.engine.locate import Engine, find_engine
from bgrating.engine.pool import Pool, Task
from bgrating.play.archive import Limits
from bgrating.play.designs import ShardTask
from bgrating.play.match_tables import read_checked
from bgrating.play.shards import play_shard
from bgrating.rating.result_files import results_of
from study.formula.design_points import points

EXPECTED = Path(__file__).with_name("figures.json")
PLAYERS = (levels.player("beginner+noise-0.8"), levels.player("expert"))
MATCHES = 10
DIGITS = 9


def rounded(value: Any) -> Any:
    """Return a value with floats to DIGITS, at any depth."""
    if isinstance(value, float):
        return f"{value:.{DIGITS}g}"
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    return [rounded(one) for one in value] if isinstance(value, list | tuple) else value


def digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(rounded(value), default=str).encode()).hexdigest()[:16]


def figures(engine: Engine, project: Path, folder: Path) -> dict[str, str]:
    """Return digests by name: of a played shard, of ten analysed matches, of a study."""
    archive = folder / "shard.zip"
    play_shard(engine, ShardTask(PLAYERS, 3, 1, 0, 3), archive, Limits(600.0, folder / "log"))
    found = {"a shard": hashlib.sha256(archive.read_bytes()).hexdigest()[:16]}
    columns: dict[str, list[Any]] = {}
    with closing(Pool(engine, levels.analysis("0-ply-no-luck"), 1)) as pool:
        tasks = []
        for file in sorted((project / "examples").glob("*.mat"))[:MATCHES]:
            record, contents = read_data(file.read_bytes(), file.name)
            for name, value in asdict(record.matches[0]).items():
                columns.setdefault(f"read: {name}", []).append(value)
            for key, content in contents.items():
                tasks.append(Task(key, content["rolls"], {"task": "analyse", **content}))
        for _, answer in sorted(pool.run(iter(tasks)), key=lambda pair: pair[0].key):
            for row in answer["rows"]:
                for name, value in row.items():
                    columns.setdefault(f"match: {name}", []).append(value)
            for name, values in answer["decisions"].items():
                columns.setdefault(f"decision: {name}", []).extend(values)
    found |= {name: digest(values) for name, values in columns.items()}
    study = points(read_checked(results_of("1.08") / "part2" / "frozen" / "3.parquet"))
    return found | {f"points: {name}": digest(study[name].tolist()) for name in study}


def test_figures_are_those_of_their_number(embedded: Engine, project: Path, tmp_path: Path) -> None:
    kept = json.loads(EXPECTED.read_text())
    assert kept["ANALYSIS"] == ANALYSIS, (
        f"the number was raised: run {Path(__file__).name} and commit {EXPECTED.name}"
    )
    now = figures(embedded, project, tmp_path)
    moved = sorted(
        name
        for name in now.keys() | kept["figures"].keys()
        if now.get(name) != kept["figures"].get(name)
    )
    assert not moved, (
        f"moved under the same ANALYSIS: {', '.join(moved)}; raise it in"
        " bgrating/analysis/__init__.py"
    )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        own = figures(find_engine(), Path(__file__).resolve().parents[2], Path(place))
    EXPECTED.write_text(json.dumps({"ANALYSIS": ANALYSIS, "figures": own}, indent=1) + "\n")
