"""`bgrating.rate` in a program of others: the command's tables, and no side effects."""

import os
import signal
import sys
from pathlib import Path

import pandas as pd
import psutil
import pytest

import bgrating
from bgrating.apart import EndedError
from bgrating.collection.rate_request import Progress
from bgrating.engine.locate import Engine
from bgrating.rating.formula_reader import NoFormulaError
from bgrating.settings_files import SettingsError
from commands import bgrating as command
from commands import of_user, run
from short_match import match, write_matches

# A program without a guard of its main module, as people write them. A site of its own notes what
# each Python sees.
PROGRAM = """
import os
before = dict(os.environ)
import bgrating, bgrating.api, bgrating.collection.rating_run
rated = bgrating.rate("games", results="ours", luck=False)
assert dict(os.environ) == before, "the environment of the caller has changed"
print(len(rated.players), len(rated.decisions) > 0)
"""
SITE = """
import os
with open(os.environ["NOTES"], "a") as notes:
    print(os.environ.get("OPENBLAS_CORETYPE", "none"), file=notes)
"""
TABLES = ("files.csv", "matches.csv", "players.csv", "decisions.parquet")


@pytest.fixture
def place(tmp_path: Path, engine: Engine) -> Path:
    write_matches(tmp_path / "games", "41", "43", "21")
    (tmp_path / "site").mkdir()
    (tmp_path / "site/sitecustomize.py").write_text(SITE)
    return tmp_path


def test_the_caller_stays_as_it_is_and_shares_store_and_tables_with_the_command(
    place: Path,
) -> None:
    store = {"BGRATING_STORE": str(place / "store")}
    environment = of_user(place, NOTES=str(place / "notes"), **store)
    environment["PYTHONPATH"] += f":{place / 'site'}"
    (place / "program.py").write_text(PROGRAM)
    done = run([sys.executable, "program.py"], cwd=place, env=environment)
    assert (done.stdout, done.stderr) == ("2 True\n", "")
    callers, workers, *_ = (place / "notes").read_text().splitlines()
    assert (callers, workers) == ("none", "Nehalem")
    entries = command("cache", "--json", cwd=place, **store).stdout
    theirs = command("rate", "games", "--results", "theirs", "--no-luck", cwd=place, **store)
    assert theirs.returncode == 0, theirs.stderr
    assert command("cache", "--json", cwd=place, **store).stdout == entries
    for name in TABLES:
        ours, own = (place / folder / "human/games" / name for folder in ("ours", "theirs"))
        assert ours.read_bytes() == own.read_bytes(), name


class Noted(Progress):
    """Notes what it receives; it may do something at the first step."""

    def __init__(self, at_first: object = None) -> None:
        self.steps: list[tuple[str, int, int]] = []
        self.at_first = at_first

    def step(self, what: str, done: int, total: int, seconds_left: float | None = None) -> None:
        self.steps.append((what, done, total))
        if callable(self.at_first):
            self.at_first()


def test_progress_and_frames_come_from_the_other_process(place: Path) -> None:
    noted = Noted()
    rated = bgrating.rate(place / "games", luck=False, store=False, progress=noted)
    assert ("matches analysed", 3, 3) in noted.steps
    assert isinstance(rated.players, pd.DataFrame)
    assert rated.players["matches"].tolist() == [3, 3]


def test_an_error_is_that_of_the_other_process(place: Path) -> None:
    with pytest.raises(SettingsError, match="there is no file or folder"):
        bgrating.rate(place / "nowhere")
    (place / "formula.json").write_text('{"formula": null, "reason": "one pair is no line"}')
    with pytest.raises(
        NoFormulaError, match=r"formula\.json holds no formula: one pair is no line"
    ):
        bgrating.rate(place / "games", formula=str(place / "formula.json"), luck=False, store=False)
    with pytest.raises(TypeError, match="levle"):
        bgrating.rate(place / "games", levle="2-ply")


def children() -> list[int]:
    return [child.pid for child in psutil.Process().children()]


def test_an_ended_process_is_one_sentence(place: Path) -> None:
    before = children()

    def end() -> None:
        for number in set(children()) - set(before):
            os.kill(number, signal.SIGKILL)

    with pytest.raises(
        EndedError, match=r"the process that rates ended without a result \(-9\): rate again"
    ):
        bgrating.rate(place / "games", luck=False, store=False, progress=Noted(end))


def test_an_error_of_the_caller_ends_the_other_process(place: Path) -> None:
    def fail() -> None:
        raise ZeroDivisionError

    before = children()
    with pytest.raises(ZeroDivisionError):
        bgrating.rate(place / "games", luck=False, store=False, progress=Noted(fail))
    assert children() == before


def test_what_a_match_prints_is_no_answer(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (place / "odd.mat").write_text(match("\x1b[31m", "b"))
    rated = bgrating.rate(place / "odd.mat", luck=False, store=False)
    assert len(rated.files) == 1
    assert capfd.readouterr().out == ""
