"""`bgrating rate`: error rates, ratings and costliest decisions of everybody in match files."""

import json
import time
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bgmatch.records import Json
from bgmatch.scales import OFFSET
from bgrating import BgratingError
from bgrating.analysis.store import default_path
from bgrating.collection.rate_request import MINUTES, Progress, RateRequest
from bgrating.collection.rating_run import growing_results
from bgrating.command import JSON, PATH, RESULTS, SETTINGS, finite, rewrite, tell
from bgrating.command.numbers import Number, WholeNumber
from bgrating.decisions.thresholds import CHECKS
from bgrating.engine.protocol import memory_limit, memory_sentence
from bgrating.watching import changes

if TYPE_CHECKING:
    from bgrating.collection.rated_results import RateResult

LEAST_MEMORY = 10**9
"""Smallest address space in bytes, on two cores: with less, numerical libraries abort the process.
"""
SHOWN_FAILURES = 3  # matches without analysis that are reported one by one
_UPDATE = 0.2  # seconds between two updates of the bar


@click.command(context_settings=SETTINGS)
@click.argument("paths", nargs=-1, required=True, type=PATH, metavar="PATH...")
@click.option(
    "--level",
    default="0-ply",
    show_default=True,
    help="level of the analysis; the formula is for 0-ply; ratings by other levels have a warning",
)
@click.option("--no-luck", is_flag=True, help="do not analyse luck: much faster")
@click.option("--player", default="", help="name this player first, and their page last")
@click.option(
    "--formula",
    default="fitted",
    show_default=True,
    help="fitted, published, published-2003 or a formula file",
)
@click.option("--aliases", type=PATH, help="CSV with the columns alias and name")
@click.option(
    "--offset",
    type=Number(),
    default=OFFSET,
    show_default=True,
    help="rating of a player without errors",
)
@click.option("--engine", default="", help="a known engine, or the path of a gnubg program")
@RESULTS
@click.option("--name", default="", help="name of these results (default: that of the path)")
@click.option(
    "--export",
    type=PATH,
    metavar="FILE",
    help="write the page of --player, or of the only match, as one file to send",
)
@click.option(
    "--cores", type=WholeNumber(min=1), help="engine processes side by side (default: all cores)"
)
@click.option(
    "--check",
    type=click.Choice(CHECKS),
    default="errors",
    show_default=True,
    help="what 2-ply analyses again, after the answer: every error, or nothing",
)
@click.option(
    "--minutes",
    type=Number(0, min_open=True),
    default=MINUTES,
    show_default=True,
    help="time for that; the next run goes on where this one stopped",
)
@click.option("--sqlite", is_flag=True, help="all tables in one database too: results.sqlite")
@click.option("--no-store", is_flag=True, help="do without the store of analyses (see cache)")
@click.option(
    "--watch", is_flag=True, help="rate again whenever files in the paths change, until Ctrl-C"
)
@JSON
def command(
    paths: tuple[Path, ...],
    results: Path,
    no_luck: bool,
    no_store: bool,
    cores: int | None,
    watch: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Rate everybody in match files: files, folders and zip archives of them.

    A match that was analysed once is not analysed again: another formula, offset or table of
    aliases answers at once.

    \b
    Examples:
      bgrating rate matches/
      bgrating rate club.zip final.xg --player "Ann Lee" --minutes 30
      bgrating rate matches/ --aliases alias_suggestions.csv --formula published
      bgrating rate final.mat --export final.html
    """
    if (memory_limit() or LEAST_MEMORY) < LEAST_MEMORY:
        raise BgratingError(f"{memory_sentence()}: rate needs {LEAST_MEMORY / 10**6:,.0f} MB")
    request = RateRequest(
        paths,
        results,
        luck=not no_luck,
        store=None if no_store else default_path(),
        cores=cores or 0,
        **options,
    )
    status = 0
    for _ in changes(paths, results) if watch else [None]:
        status = _rate(request, as_json=as_json)
    return status


def _rate(request: RateRequest, *, as_json: bool) -> int:
    bar = JsonBar() if as_json else Bar()
    first = None
    last = None
    with closing(growing_results(request, bar)) as results, bar:
        for result in results:
            bar.clear()
            if as_json and result.pages:
                tell(_answer(result), "", as_json=True)
            elif as_json:  # a first answer, before tables and pages are written
                click.echo(json.dumps(finite(_rows(result))), err=True)
            else:
                _tell(result, last)
            first = first or result
            last = result
    assert first, "a run has a result, or ends with an error"
    assert last
    before = first.answer.splitlines()
    changed = [line for line in last.answer.splitlines() if line not in before]
    if changed and not as_json:
        click.echo("\n".join(["Changed since the first answer:", *changed]))
    if request.export and not as_json:
        click.echo(f"To send: {request.export}")
    for reason in last.failed_here[:SHOWN_FAILURES]:
        click.echo(f"bgrating: {reason}", err=True)
    if len(last.failed_here) > 1:
        count = len(last.failed_here)
        click.echo(
            f"bgrating: {count} matches are not analysed yet: run the same command again", err=True
        )
    return 1 if last.failed_here else 0


def _tell(result: "RateResult", before: "RateResult | None") -> None:
    """Print the first answer; then notices, and the pages once they are written."""
    if before is None:
        click.echo(result.answer)
    for sentence in result.notices:
        click.echo(sentence)
    for page in result.pages if before and not before.pages else ():
        click.echo(f"Page: {page.resolve().as_uri()}")


class Bar(Progress):
    """A progress line on a terminal."""

    def __init__(self) -> None:
        self._last = 0.0
        self._activity = ""

    def __enter__(self) -> "Bar":
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def clear(self) -> None:
        """Remove the line before something else is printed."""
        rewrite("")

    def step(self, what: str, done: int, total: int, seconds_left: float | None = None) -> None:
        now = time.monotonic()
        if what != self._activity or now - self._last >= _UPDATE:
            self._last = now
            self._activity = what
            self._show(what, done, max(done, total), seconds_left)

    def _show(self, what: str, done: int, total: int, seconds_left: float | None) -> None:
        remaining = "" if seconds_left is None else f", {_duration(seconds_left)} left"
        rewrite(f"{done:,} of {total:,} {what}{remaining}")

    def say(self, sentence: str) -> None:
        self.clear()
        click.echo(f"bgrating: {sentence}", err=True)


class JsonBar(Bar):
    """Progress and notices as JSON, an object a line, on standard error."""

    def clear(self) -> None:
        """Keep the last line, which is a complete object."""

    def _show(self, what: str, done: int, total: int, seconds_left: float | None) -> None:
        click.echo(
            json.dumps({"what": what, "done": done, "total": total, "seconds_left": seconds_left}),
            err=True,
        )

    def say(self, sentence: str) -> None:
        click.echo(json.dumps({"notice": sentence}), err=True)


def _rows(result: "RateResult") -> Json:
    names = ["player", "matches", "pr", "rating", "ci_low", "ci_high", "own_rating", "level"]
    players = result.players[names].to_dict("records")
    return {"answer": result.answer, "reader": result.reader, "players": players}


def _answer(result: "RateResult") -> Json:
    return _rows(result) | {
        "command": "rate",
        "name": result.name,
        "folder": str(result.folder),
        "player": result.player,
        "files": result.files["status"].value_counts().to_dict(),
        "pages": [str(path) for path in result.pages],
        "notices": [*result.notices, *result.failed_here],
    }


def _duration(seconds: float) -> str:
    """Write a duration as 1:05, or 1:00:05 with an hour or more."""
    clock = str(timedelta(seconds=round(seconds)))
    return clock.removeprefix("0:").removeprefix("0")
