"""Luck after a first answer, with the engine: the same as an analysis of everything."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bgrating.analysis.analyst import Analyst, analysis_id
from bgrating.collection import rating_run as rating
from bgrating.collection.rate_request import RateRequest
from bgrating.collection.rated_results import RateResult
from bgrating.collection.rating_run import growing_results
from bgrating.command import main
from bgrating.engine.levels import analysis
from bgrating.engine.locate import Engine
from bgrating.engine.pool import Task
from short_match import write_matches

Rated = Callable[..., Iterator[RateResult]]


@pytest.fixture(name="run")
def _run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rated:
    """Return a function that rates matches, whose luck counts as long."""
    games = write_matches(tmp_path / "games", "41", "43")
    monkeypatch.setattr(rating, "LONG", 0.0)

    def run(store: str, **options: Any) -> Iterator[RateResult]:
        return growing_results(RateRequest((games,), store=tmp_path / store, cores=1), **options)

    return run


def kept(store: Path, engine: Engine) -> list[Any]:
    """Return what a store has of matches with luck."""
    judge = analysis_id(engine, analysis("0-ply"))
    base = sqlite3.connect(store)
    rows = base.execute(
        f"SELECT key, value FROM entries WHERE key GLOB 'analysis * {judge} *' ORDER BY key"
    ).fetchall()
    base.close()
    return rows


@pytest.mark.parametrize("which", ["engine", "old_engine"])
def test_a_first_answer_comes_without_luck_and_what_is_kept_is_the_same(
    run: Rated,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    which: str,
) -> None:
    engine: Engine = request.getfixturevalue(which)
    monkeypatch.setattr("bgrating.collection.rate_request.find_engine", lambda *_: engine)
    first, second = run("parts")
    *_, whole = run("whole", luck_last=False)
    assert len(kept(tmp_path / "whole", engine)) == 2
    assert kept(tmp_path / "parts", engine) == kept(tmp_path / "whole", engine)
    assert second.matches.equals(whole.matches)
    assert second.players.equals(whole.players)
    assert second.answer == whole.answer
    assert first.players["rating"].equals(second.players["rating"])
    assert first.players["net_luck_mwc"].isna().all()
    waiting = "; luck, which changes no rating, is still being computed"
    assert first.answer.replace(waiting, " with luck") == second.answer
    assert f"Level: 0-ply with luck, engine {engine.package()}" in second.answer


def test_a_run_that_is_stopped_in_its_luck_goes_on_there(
    run: Rated, tmp_path: Path, submitted: list[Task], engine: Engine
) -> None:
    steps = run("parts")
    next(steps)
    steps.close()
    quick = len(submitted)
    assert quick == 2
    *_, last = run("parts")
    assert len(submitted) == quick + 2
    *_, whole = run("whole", luck_last=False)
    assert last.matches.equals(whole.matches)
    assert kept(tmp_path / "parts", engine) == kept(tmp_path / "whole", engine)


@pytest.mark.parametrize("asked_before", [False, True])
def test_results_of_another_run_are_taken_as_they_are(
    run: Rated, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: Engine, asked_before: bool
) -> None:
    """This run asks for luck after the other one, or has asked for it already."""
    begin, others, analysts = Analyst.begin, list[RateResult](), list[Analyst]()

    def beside_another(analyst: Analyst, problems: dict[str, str]) -> None:
        analysts.append(analyst)
        if len(analysts) == 1:  # the one of the first answer
            begin(analyst, problems)
            return
        monkeypatch.setattr(Analyst, "begin", begin)
        if asked_before:
            begin(analyst, problems)
        others.extend(run("parts"))
        if not asked_before:
            begin(analyst, problems)

    monkeypatch.setattr(Analyst, "begin", beside_another)
    *_, last = run("parts")
    assert len(last.matches) == 4
    assert last.matches.equals(others[-1].matches)
    assert last.players.equals(others[-1].players)
    assert len(kept(tmp_path / "parts", engine)) == 2


def test_brief_luck_belongs_to_the_first_answer(
    run: Rated, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rating, "LONG", 3.0)
    (only,) = run("parts")
    assert only.players["net_luck_mwc"].notna().all()


@pytest.mark.usefixtures("run")
def test_luck_that_takes_less_than_the_plays_comes_with_them(
    tmp_path: Path, submitted: list[Task]
) -> None:
    """At 2-ply four matches took 95 s of CPU with luck and without; a second pass doubled that."""
    request = RateRequest((tmp_path / "games",), store=tmp_path / "store", cores=1, level="1-ply")
    (only,) = growing_results(request)
    assert only.players["net_luck_mwc"].notna().all()
    assert len(submitted) == 2


@pytest.mark.usefixtures("run")
def test_json_reports_a_first_answer_beside_the_progress(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A page that shows it must not wait for luck."""
    places = [str(tmp_path / "games"), "--results", str(tmp_path / "results")]
    with pytest.raises(SystemExit, match="0"):
        main(["rate", *places, "--json", "--cores", "1", "--check", "none"])
    out, err = capsys.readouterr()
    first, *_ = (line["answer"] for line in map(json.loads, err.splitlines()) if "answer" in line)
    answer = json.loads(out)["answer"]
    assert "luck, which changes no rating, is still being computed" in first
    assert first.splitlines()[:4] == answer.splitlines()[:4]
