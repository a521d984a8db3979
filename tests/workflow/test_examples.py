"""The matches of examples/: the engine plays them again, and README's command rates them."""

import re
import zipfile
from datetime import date, timedelta
from itertools import combinations
from pathlib import Path

import pandas as pd

from bgrating.engine import levels
from bgrating.engine.locate import Engine
from bgrating.play.archive import Limits
from bgrating.play.designs import ShardTask
from bgrating.play.shards import play_shard
from commands import bgrating

LEVELS = ("advanced", "blunders-0.06", "noise-0.02", "blunders-0.1")
MATCHES, LENGTH, SEED = 2, 5, 36
FIRST = date(2025, 1, 5)
HEAD = """; [EventDate "{day:%Y.%m.%d}"]
; [Event "Levels of gnubg against each other"]
; [Site "played by bgrating's engine, seed {seed}, match {match} of this pair (tests/workflow/test_examples.py)"]
"""


def played(engine: Engine, folder: Path, limits: Limits) -> dict[str, str]:
    """Play each pair of levels; return the matches by file name. Each has its own Sunday."""
    texts = {}
    pairs = list(combinations(LEVELS, 2))
    for number, (left, right) in enumerate(pairs):
        archive = folder / f"{number}.zip"
        task = ShardTask((levels.player(left), levels.player(right)), LENGTH, SEED, 0, MATCHES)
        play_shard(engine, task, archive, limits)
        for match in range(MATCHES):
            text = zipfile.ZipFile(archive).read(f"{match:04d}.mat").decode()
            day = FIRST + timedelta(weeks=match * len(pairs) + number)
            text = re.sub(r"^; .*\n", HEAD.format(day=day, seed=SEED, match=match), text)
            scores = re.compile(r"^ player : (\d+) +opponent :", re.MULTILINE)
            texts[f"{day}-{left}-{right}.mat"] = scores.sub(
                lambda score, left=left, right=right: (
                    f" {left} : {score[1]}".ljust(32) + f"{right} :"
                ),
                text,
            )
    return texts


def test_they_are_what_the_engine_plays(
    project: Path, embedded: Engine, tmp_path: Path, limits: Limits
) -> None:
    kept = {
        path.name: path.read_text(encoding="ascii") for path in (project / "examples").iterdir()
    }
    assert kept == played(embedded, tmp_path, limits)


def test_the_command_in_readme_rates_their_players(project: Path, tmp_path: Path) -> None:
    """Without the second look, which takes nine tenths of the time and changes no rating."""
    done = bgrating(
        "rate", "examples/", "--results", tmp_path, "--no-store", "--check", "none", cwd=project
    )
    assert (done.returncode, done.stderr) == (0, "")
    pairs = len(LEVELS) * (len(LEVELS) - 1) // 2
    assert done.stdout.startswith(f"{MATCHES * pairs} files: {MATCHES * pairs} analysed\n")
    shown = (project / "README.md").read_text(encoding="utf-8")
    answer = done.stdout.partition("\n\nLevel:")[0]
    assert f"```\n{answer}\n```\n" in shown
    players = pd.read_csv(tmp_path / "human" / "examples" / "players.csv").set_index("player")
    assert set(players.index) == set(LEVELS)
    # More noise costs more, and so do more blunders.
    assert players["pr"]["advanced"] < players["pr"]["noise-0.02"]
    assert players["pr"]["blunders-0.06"] < players["pr"]["blunders-0.1"]
