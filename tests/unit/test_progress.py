"""Counting of matches and steps, and the time left."""

import logging
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bgrating.progress import Amount, Tally, announce_matches, format_seconds
from snakemake_logger_plugin_bgrating.displays import ends_of


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def play(tally: Tally, job: int, matches: int, effort: float | None = None) -> None:
    resources = {"matches": matches} | ({} if effort is None else {"effort": effort})
    tally.start(job, "play", resources)


def test_matches_count_when_their_job_has_ended(clock: Clock) -> None:
    tally = Tally(clock)
    tally.plan_matches({"play": Amount(7200, 7200.0)})
    play(tally, 1, 720)
    assert tally.matches["play"].describe() == "0 of 7,200 matches"
    clock.now += 100
    tally.finish(1)
    # 720 took 100 s, so the other 6 480 take 900 s
    assert tally.matches["play"].describe() == "720 of 7,200 matches, about 0:15:00 left"


def test_the_time_left_runs_down_between_jobs_and_never_below_nothing(clock: Clock) -> None:
    tally = Tally(clock)
    tally.plan_matches({"play": Amount(20, 20.0)})
    play(tally, 1, 10)
    clock.now += 50
    tally.finish(1)
    clock.now += 20
    assert tally.matches["play"].seconds_left() == 30
    clock.now += 100
    assert tally.matches["play"].seconds_left() == 0


def test_the_time_left_follows_the_effort_not_the_number(clock: Clock) -> None:
    tally = Tally(clock)
    tally.plan_matches({"play": Amount(100, 50 * 3.0 + 50 * 23.0)})
    play(tally, 1, 50, 150.0)
    clock.now += 30
    tally.finish(1)
    assert tally.matches["play"].seconds_left() == pytest.approx(30 / 150 * 1150)


def test_a_failed_job_does_not_count(clock: Clock) -> None:
    tally = Tally(clock)
    tally.plan_matches({"play": Amount(20, 20.0)})
    play(tally, 1, 10)
    play(tally, 2, 10)
    tally.finish(2)
    assert tally.matches["play"].done == 10


def test_more_than_was_planned_raises_the_total(clock: Clock) -> None:
    tally = Tally(clock)
    play(tally, 1, 10)
    tally.finish(1)
    assert tally.matches["play"].describe() == "10 of 10 matches"


def test_steps_tell_the_time_only_where_no_matches_do(clock: Clock) -> None:
    for with_matches in (False, True):
        tally = Tally(clock)
        tally.plan_steps(4)
        if with_matches:
            tally.plan_matches({"play": Amount(10, 10.0)})
        tally.start(1, "fit", {})
        clock.now += 10
        assert tally.finish(1) == [tally.steps]
        assert tally.steps.seconds_left() == (None if with_matches else 30)


def test_a_stopped_count_tells_no_time(clock: Clock) -> None:
    tally = Tally(clock)
    tally.plan_matches({"play": Amount(20, 20.0)})
    play(tally, 1, 10)
    clock.now += 50
    tally.finish(1)
    tally.matches["play"].stop()
    assert tally.matches["play"].describe() == "10 of 20 matches"


@pytest.mark.parametrize(("seconds", "text"), [(0.4, "0:00:00"), (59.6, "0:01:00"), (45296, "12:34:56")])
def test_seconds_are_told_as_a_clock_does(seconds: float, text: str) -> None:
    assert format_seconds(seconds) == text


def test_the_announcement_adds_up_rule_by_rule_in_the_order_of_the_snakefile(caplog: pytest.LogCaptureFixture) -> None:
    def job(rule: str, **resources: Any) -> SimpleNamespace:
        return SimpleNamespace(rule=SimpleNamespace(name=rule), resources=resources)

    jobs = [job("analyse", matches=5), job("play", matches=5, effort=15), job("fit"), job("play", matches=7, effort=35)]
    workflow = SimpleNamespace(
        rules=[SimpleNamespace(name=name) for name in ("play", "analyse", "fit")],
        dag=SimpleNamespace(needrun_jobs=lambda: jobs),
    )
    with caplog.at_level(logging.INFO):
        announce_matches(workflow, logging.getLogger("test"))
    (record,) = caplog.records
    assert record.getMessage() == "To do: play 12 matches, analyse 5 matches"
    assert record.__dict__["planned_matches"] == {"play": Amount(12, 50.0), "analyse": Amount(5, 5.0)}


def test_of_a_log_that_ends_with_a_sentence_for_the_user_only_that_is_shown(tmp_path: Path) -> None:
    log = tmp_path / "job.log"
    trace = "Traceback (most recent call last):\n  File ...\nbgrating.settings.Some: wrong\n"
    log.write_text(f"{trace}error: wrong:\nmend it\n")
    assert list(ends_of([str(log)])) == [f"{log} ends with:", "    error: wrong:", "    mend it"]
    log.write_text(f"{trace}error: wrong\n{trace}")
    assert list(ends_of([str(log)]))[-3:] == [f"    {line}" for line in trace.splitlines()]
    assert list(ends_of([str(tmp_path / "none.log")])) == [f"{tmp_path / 'none.log'} is empty."]
