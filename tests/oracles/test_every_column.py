"""Every column of the tables of `rate`, once, in one run: what the text says, what gnubg prints,
and sums by hand.

gnubg alone analyses the same file and prints its statistics. The formula is the one in README.
"""

import hashlib
import math
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from bgrating.engine import levels
from bgrating.engine.commands import analysis_commands
from bgrating.engine.locate import Engine
from bgrating.tables.dictionary import columns
from commands import bgrating
from corpus import values
from statistics_text import Printed, read_statistics, tell_gnubg

FILE = "2025-01-05-advanced-blunders-0.06.mat"
NAMES = {"left": "advanced", "right": "blunders-0.06"}
COLLECTION = {FILE: FILE, "copy.txt": FILE, "accent.mat": "2025-01-12-advanced-noise-0.02.mat"}
LENGTH, GAMES, ROLLS = 5, 6, 312
ROWS = values("every_column")
"""What the text says, row by row."""
EMPTY = ("recorded_rating", "round", "from_file_name", "rating_note")
ELSEWHERE = {name for names in ROWS.pop("elsewhere").values() for name in names}
"""Columns that other tests check by hand, or against another program; here they have a value."""


@pytest.fixture(scope="module", name="folder")
def _folder(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("columns")
    (place / "games").mkdir()
    (place / "games" / "notes.md").write_text("no match\n")
    for name, source in COLLECTION.items():
        text = (project / "examples" / source).read_text(encoding="ascii")
        text = text.replace("advanced", "Ádvanced") if name == "accent.mat" else text
        (place / "games" / name).write_text(text, encoding="utf-8")
    words = ["rate", "games", "--results", "r", "--check", "none", "--formula", "fitted"]
    done = bgrating(*words, cwd=place)
    assert done.returncode == 0, done.stderr
    return place


@pytest.fixture(scope="module", name="printed")
def _printed(embedded: Engine, folder: Path) -> dict[str, dict[str, Printed]]:
    """Return what gnubg prints of the match, by side."""
    commands = [f'import mat "games/{FILE}"', "analyse match", 'export match text "told.txt"']
    tell_gnubg([*analysis_commands(levels.analysis("0-ply")), *commands], folder)
    last = sorted(folder.glob("told*.txt"))[-1].read_text().partition("Match statistics")[2]
    return dict(zip(("left", "right"), read_statistics(last), strict=True))


def table(folder: Path, name: str) -> pd.DataFrame:
    place = folder / "r" / "human" / "games"
    if name == "decisions":
        return pd.read_parquet(place / "decisions.parquet")
    return pd.read_csv(place / f"{name}.csv")


def value(expected: Any) -> float:
    return expected[0] if isinstance(expected, tuple) else expected


def agrees(found: Any, expected: Any) -> bool:
    """Compare with a text, a number, a printed and so rounded number, or nothing (None)."""
    if expected is None:
        return bool(pd.isna(found))
    if isinstance(expected, tuple):
        return abs(found - expected[0]) <= 1.001 * expected[1] + 1e-6
    return bool(found == expected) or (
        isinstance(expected, float) and math.isclose(found, expected, rel_tol=1e-3)
    )


def check(row: dict[str, Any], expected: dict[str, Any], kind: str) -> None:
    found = {name: row[name] for name in columns(kind) if name in expected}
    assert {name: own for name, own in found.items() if not agrees(own, expected[name])} == {}
    assert set(columns(kind)) - ELSEWHERE - set(expected) == set()


def of_match(side: str, printed: dict[str, dict[str, Printed]]) -> dict[str, Any]:
    """Return what a side's row of matches.csv holds: by the text, by gnubg, and by sums."""
    own, other = printed[side], printed["right" if side == "left" else "left"]
    errors = value(own["chequer_error_emg"]), value(own["cube_error_emg"])
    unforced, close = value(own["unforced_moves"]), value(own["close_cube_decisions"])
    a2, b = 10_557 + 20_526 / LENGTH, 9_548
    told = {name: own[name] for name in set(own) & set(columns("human/matches"))}
    return (
        told
        | ROWS["match"]
        | ROWS["sides"][side]
        | dict.fromkeys(EMPTY)
        | {
            "file": FILE,
            "side": side,
            "epm": errors[0] / unforced,
            "epc": errors[1] / close,
            "pr": 500 * sum(errors) / (unforced + close),
            "net_luck_mwc": (value(own["luck_mwc"]) - value(other["luck_mwc"]), 0.00001),
            "rating": 2050 - (a2 * errors[0] + b * errors[1]) / unforced,
        }
    )


@pytest.mark.parametrize("side", NAMES)
def test_matches(folder: Path, printed: dict[str, dict[str, Printed]], side: str) -> None:
    rows = table(folder, "matches")
    (row,) = rows[(rows["file"] == FILE) & (rows["side"] == side)].to_dict("records")
    check(row, of_match(side, printed), "human/matches")


def test_players(folder: Path, printed: dict[str, dict[str, Printed]]) -> None:
    """The right player has this match alone, so it gives all figures but those of the field."""
    match = of_match("right", printed)
    rows = table(folder, "players")
    (row,) = rows[rows["player"] == NAMES["right"]].to_dict("records")
    both = set(columns("human/players")) & set(match) - {"rating", "level"}
    ratings = {"rating": row["rating_0_ply"], "rating_0_ply": row["rating"]}
    ratings["own_rating"] = match["rating"]
    check(row, {name: match[name] for name in both} | ratings | ROWS["player"], "human/players")


def test_files_and_aliases(folder: Path) -> None:
    rows = table(folder, "files").set_index("file", drop=False)
    counted = {"dialect": "gnubg", "matches": 1, "games": GAMES, "repairs": 0}
    copied = f"same rolls and plays as {FILE}"
    for name, status, reason in ((FILE, "analysed", None), ("copy.txt", "duplicate", copied)):
        digest = hashlib.sha256((folder / "games" / name).read_bytes()).hexdigest()
        own = {"file": name, "status": status, "reason": reason, "sha256": digest}
        check(rows.loc[name].to_dict(), own | counted | {"rolls": ROLLS}, "human/files")
    assert rows.loc["notes.md", "status"] == "rejected"
    (row,) = table(folder, "alias_suggestions").to_dict("records")
    assert {row["alias"], row["name"]} == {"advanced", "Ádvanced"}
    assert (row["alias_matches"], row["name_matches"]) == (1, 1)
    assert "accents" in row["reason"]


def test_decisions(folder: Path, printed: dict[str, dict[str, Printed]]) -> None:
    """The first roll as in the text; losses, luck and counts add up to what gnubg prints."""
    rows = table(folder, "decisions")
    rows = rows[rows["file"] == FILE]
    sums = {"loss_emg": "_error_emg", "loss_mwc": "_error_mwc"}
    for side, own in printed.items():
        mine = rows[rows["side"] == side]
        cube = mine["kind"] != "play"
        for column, figure in sums.items():
            assert agrees(mine.loc[~cube, column].sum(), own[f"chequer{figure}"])
            assert agrees(mine.loc[cube, column].sum(), own[f"cube{figure}"])
        for unit in ("emg", "mwc"):  # of each roll gnubg writes six decimals
            assert mine[f"luck_{unit}"].sum() == pytest.approx(own[f"luck_{unit}"][0], abs=5e-4)
        assert mine.loc[~cube, "unforced"].sum() == value(own["unforced_moves"])
        doubles = mine[mine["kind"] == "double"]
        assert (doubles["played"] == "double").sum() == value(own["doubles"])
        gain = doubles["double_take"].clip(upper=1.0) - doubles["no_double"]
        gain = gain.where(doubles["loss_emg"] > 0, 0.0)
        assert gain.abs().tolist() == pytest.approx(doubles["loss_emg"].tolist(), abs=1e-5)
    row = rows.iloc[0].to_dict()
    added_up = {name: row[name] for name in ("unforced", "loss_mwc", "luck_emg", "luck_mwc")}
    first = ROWS["first_roll"] | {"file": FILE, "no_double": None, "double_take": None}
    check(row, first | added_up, "human/decisions")
