"""How far a run has come, in matches and in steps, and how long the rest will take.

Rules say what a job is worth through resources: ``matches``, and ``effort`` where matches cost differently
(matches times match length does well). The rest follows from which jobs have started and ended.
"""

import logging
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple


class Amount(NamedTuple):
    """A number of matches, and the effort they take in any unit that is the same for all of them."""

    matches: int
    effort: float


def amount_of(resources: Any) -> Amount | None:
    """Return what a job's resources say it is worth; None where they say nothing of matches."""
    matches = resources.get("matches")
    if not isinstance(matches, int):
        return None
    effort = resources.get("effort")
    return Amount(matches, float(matches if effort is None else effort))


def announce_matches(workflow: Any, logger: logging.Logger) -> None:
    """Log how many matches each rule has before it; ``onstart:`` calls it, for the progress display."""
    plan: dict[str, Amount] = {}
    names = [rule.name for rule in workflow.rules]
    for job in sorted(workflow.dag.needrun_jobs(), key=lambda job: names.index(job.rule.name)):
        amount = amount_of(job.resources)
        if amount is not None:
            before = plan.get(job.rule.name, Amount(0, 0.0))
            plan[job.rule.name] = Amount(before.matches + amount.matches, before.effort + amount.effort)
    if plan:
        text = ", ".join(f"{rule} {amount.matches:,} matches" for rule, amount in plan.items())
        logger.info(f"To do: {text}", extra={"planned_matches": plan})


class Count:
    """Things done out of things to do, with the time they take."""

    def __init__(self, name: str, unit: str, clock: Callable[[], float]) -> None:
        self.name = name
        self.unit = unit
        self.done = 0
        self.total = 0
        self._clock = clock
        self._effort_done = 0.0
        self._effort_total = 0.0
        self._started: float | None = None
        self._last = 0.0

    def plan(self, number: int, effort: float) -> None:
        """Set what there is to do in all."""
        self.total = number
        self._effort_total = effort

    def start(self) -> None:
        """Note that the first thing has begun; later calls change nothing."""
        if self._started is None:
            self._started = self._clock()

    def finish(self, number: int, effort: float) -> None:
        """Add what has just been done; a plan that turns out too small grows."""
        self.done += number
        self.total = max(self.total, self.done)
        self._effort_done += effort
        self._effort_total = max(self._effort_total, self._effort_done)
        self._last = self._clock()

    def stop(self) -> None:
        """Note that no more will be done: there is no time left to tell."""
        self._started = None

    def seconds_left(self) -> float | None:
        """Return the time the rest will take at the pace so far, in seconds; None where that is unknown."""
        if self._started is None or self._effort_done <= 0:
            return None
        pace = (self._last - self._started) / self._effort_done
        since = self._clock() - self._last
        return max(0.0, pace * (self._effort_total - self._effort_done) - since)

    def describe(self) -> str:
        """Return the count in words, for example ``720 of 7,200 matches, about 0:12:40 left``."""
        text = f"{self.done:,} of {self.total:,} {self.unit}"
        left = self.seconds_left()
        if left is None or self.done >= self.total:
            return text
        return f"{text}, about {format_seconds(left)} left"


def format_seconds(seconds: float) -> str:
    """Return a time as hours, minutes and seconds, for example ``0:12:40``."""
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02d}:{second:02d}"


class Tally:
    """Counts of matches by rule, and of steps, kept up to date by the jobs that start and end."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._running: dict[int, tuple[str, Amount]] = {}
        self.steps = Count("all", "steps", clock)
        self.matches: dict[str, Count] = {}

    def _count(self, rule: str) -> Count:
        return self.matches.setdefault(rule, Count(rule, "matches", self._clock))

    def plan_matches(self, plan: Mapping[str, Amount]) -> None:
        """Take over how many matches each rule has to do."""
        for rule, amount in plan.items():
            self._count(rule).plan(amount.matches, amount.effort)

    def plan_steps(self, total: int) -> None:
        """Take over how many jobs there are in all; a checkpoint may add some later."""
        self.steps.plan(total, float(total))

    def start(self, job: int, rule: str, resources: Any) -> None:
        """Note that a job has begun. Where matches are counted, they and not the steps tell the time left."""
        amount = amount_of(resources)
        if not self.matches:
            self.steps.start()
        if amount is not None:
            self._count(rule).start()
            self._running[job] = rule, amount

    def finish(self, job: int) -> list[Count]:
        """Note that a job has ended well; return the counts that moved."""
        self.steps.finish(1, 1.0)
        if job not in self._running:
            return [self.steps]
        rule, amount = self._running.pop(job)
        count = self._count(rule)
        count.finish(amount.matches, amount.effort)
        return [self.steps, count]
