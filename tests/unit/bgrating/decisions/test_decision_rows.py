"""Decisions add up to gnubg's totals, and gnubg reads their names back."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest

from bgmatch.gnubg_sgf import CUBE_ERRORS
from bgrating.decisions.decision_rows import decisions, notation
from bgrating.decisions.decision_table import (
    SCHEMA,
    decisions_of,
    decisions_together,
    packed,
    write_decisions,
)
from bgrating.engine import levels
from bgrating.engine.locate import Engine
from bgrating.play.archive import ArchiveAnalyst, Limits
from corpus import cases
from positions import gnubg_ids

Json = dict[str, Any]
Matches = list[tuple[Json, Any, list[Json]]]
SIDES = ("left", "right")


@pytest.fixture(scope="module", name="matches")
def _matches(engine: Engine, shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Matches:
    """Return real matches with their match-equity tables and decisions."""
    folder = tmp_path_factory.mktemp("decisions")
    files = sorted((shared / "matches" / "lassehjorthmadsen+bglab" / "lasse").glob("*.txt"))[:4]
    files += sorted((shared / "top-players").iterdir())[:1]
    texts, limits = (
        [file.read_text("utf-8-sig") for file in files],
        Limits(900.0, folder / "engine.log"),
    )
    judged = ArchiveAnalyst(engine, levels.analysis("0-ply"), limits).analysed(texts)
    found = [(match, table, list(decisions(match, table))) for match, table in judged]
    assert sum(len(rows) for _, _, rows in found) > 500
    return found


@pytest.mark.slow
def test_decisions_add_up_to_the_totals_of_each_player(matches: Matches) -> None:
    for match, _, rows in matches:
        for index, side in enumerate(SIDES):
            own = [row for row in rows if row["side"] == side]
            plays = [row for row in own if row["kind"] == "play"]
            cubes = [row for row in own if row["kind"] != "play"]
            totals = match["figures"][index]
            assert sum(row["unforced"] for row in plays) == totals["unforced_moves"]
            for word, column in (("double", "doubles"), ("take", "takes"), ("pass", "passes")):
                assert sum(row["played"] == word for row in cubes) == totals[column]
            for unit in ("emg", "mwc"):
                # gnubg writes six decimals of each equity, and of each total.
                near = 2e-6 * max(1, len(own))
                chequer = sum(row[f"loss_{unit}"] for row in plays)
                assert chequer == pytest.approx(totals[f"chequer_error_{unit}"], abs=near)
                cube = sum(totals[f"{name}_{unit}"] for name in CUBE_ERRORS)
                # Chances of the cube are divided by half of what is at stake.
                assert sum(row[f"loss_{unit}"] for row in cubes) == pytest.approx(
                    cube, abs=10 * near
                )
                luck = sum(row[f"luck_{unit}"] or 0.0 for row in own)
                assert luck == pytest.approx(totals[f"luck_{unit}"], abs=near)


@pytest.mark.parametrize(
    ("answer", "double_take", "loss", "best"), cases("values.answers_to_doubles")
)
def test_an_answer_to_a_double_loses_what_the_other_one_is_better_by(
    answer: str, double_take: float, loss: float, best: str
) -> None:
    """Money: a pass costs a point."""
    double = {
        "no_double": 0.5,
        "double_take": double_take,
        "chances": ["0.7", "0.2", "0", "0.1", "0"],
    }
    actions = [{"kind": "double", "side": 0, **double}, {"kind": answer, "side": 1}]
    match = {"length": 0, "games": [{"score": [0, 0], "actions": actions}]}
    _, answered = decisions(match, None)
    assert (answered["loss_emg"], answered["best"]) == (loss, best)


READ_BACK = """
import sys, gnubg
humans = ("set player 0 human", "set player 1 human", "set confirm new off", "set display off")
automatic = tuple(f"set automatic {what} off" for what in ("game", "roll", "bearoff", "move"))
for command in (*humans, *automatic, "new match 1"):
    gnubg.command(command)
with open(sys.argv[1]) as asked, open(sys.argv[2], "w") as answer:
    for line in asked:
        for command in line.rstrip("\\n").split("|"):
            gnubg.command(command)
        answer.write(f"{gnubg.positionid()} {gnubg.matchid()}\\n")
"""


def read_back(asked: list[str], folder: Path) -> list[tuple[str, str]]:
    """Return the position and match ID after each line of commands (parted by |), by gnubg."""
    pytest.importorskip("gnubg", reason="needs the embedded engine")
    (folder / "asked").write_text("".join(f"{line}\n" for line in asked))
    (folder / "read.py").write_text(READ_BACK)
    command = [
        sys.executable,
        str(folder / "read.py"),
        str(folder / "asked"),
        str(folder / "answer"),
    ]
    environment = {"HOME": str(folder), "LC_ALL": "C.UTF-8"}
    subprocess.run(
        command,
        check=True,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=environment,
        timeout=600,
    )
    pairs = [line.split() for line in (folder / "answer").read_text().splitlines()]
    return [(position, match) for position, match in pairs]


def test_gnubg_reads_the_same_position_back(matches: Matches, tmp_path: Path) -> None:
    rows = [row for _, _, found in matches for row in found]
    asked, expected = [], []
    for before, row in zip([{}, *rows], rows, strict=False):
        identity = "set gnubgid {}:{}".format(*gnubg_ids(row))
        if row["kind"] in {"take", "pass"}:
            # gnubg forgets a double that waits: it is offered anew, and gnubg names what comes of
            # it.
            identity = "set gnubgid {}:{}|double".format(*gnubg_ids(before))
        asked += [identity, f"set xgid {row['xgid']}"]
        expected += [gnubg_ids(row)] * 2
    answer = read_back(asked, tmp_path)
    print(
        f"{len(rows)} decisions,"
        f" {sum(a == b for a, b in zip(answer[::2], expected[::2], strict=True))} the same"
    )
    assert answer[::2] == expected[::2]
    for row, found in zip(rows, answer[1::2], strict=True):
        # In an XGID whoever decides is gnubg's player 1, the right one.
        assert found[0] == gnubg_ids(row)[0]
        if row["side"] == "right" and row["kind"] in {"play", "double"}:
            assert found[1] == gnubg_ids(row)[1]


def test_a_collection_s_table_holds_its_matches_only(matches: Matches, tmp_path: Path) -> None:
    stored = {
        f"key{number}": packed({name: [row[name] for row in rows] for name in SCHEMA.names})
        for number, (_, _, rows) in enumerate(matches[:2])
    }
    facts = {"key": "key1", "file": "a.mat", "match": 1, "opponent": "other"}
    whose = pd.DataFrame([facts | {"side": side, "player": side} for side in SIDES])
    path = tmp_path / "decisions.parquet"
    assert list(write_decisions(decisions_together(whose, stored.__getitem__, lambda *_: {}), path))
    table = pq.read_table(path)
    assert len(table) == len(matches[1][2])
    assert table.equals(decisions_of(decisions_together(whose, stored.__getitem__, lambda *_: {})))
    assert table.column("file").unique().to_pylist() == ["a.mat"]
    assert table.column("xgid").to_pylist() == [row["xgid"] for row in matches[1][2]]


@pytest.mark.parametrize(("hops", "hit", "text"), cases("values.plays_as_written"))
def test_plays_as_players_write_them(
    hops: list[list[int]], hit: tuple[int, ...], text: str
) -> None:
    assert notation(hops, [25 - point for point in hit]) == text
