"""`bgrating ratings`: ratings and a league table from a club's list of results, or any table of games."""

import math
import unicodedata
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import click

from bgrating.command import JSON, PATH, SETTINGS, exit_on_signals, tell
from bgrating.league.settings import METHODS, PROVENANCE, EloStart, RatingsError, RatingsSettings
from bgrating.places import results_folder
from bgrating.suggestion import did_you_mean
from bgrating.tables.folder import check_folder, check_name, name_of


def _list(text: str) -> tuple[str, ...]:
    text = unicodedata.normalize("NFC", text)  # as names in the games
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _methods(text: str) -> tuple[str, ...]:
    for name in _list(text):
        if name not in METHODS:
            raise click.BadParameter(
                f"there is no method {name}{did_you_mean(name, METHODS)}; there are {', '.join(METHODS)}"
            )
    return tuple(name for name in METHODS if name in _list(text))


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a date; write it as 2026-03-14") from None


def _steps(text: str) -> tuple[int, ...]:
    for step in _list(text):
        if not step.isdecimal() or len(step) > 18:
            raise click.BadParameter(f"{step!r} is not a whole number")
    return tuple(map(int, _list(text)))


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise click.BadParameter(f"{text!r} is not a number")
    return value


def _start(text: str) -> EloStart:
    rating, colon, games = text.partition(":")
    return EloStart(_number(rating), _number(games)) if colon else EloStart(_number(rating))


def _by_name(read: Callable[[str], Any]) -> Callable[[str], dict[str, Any]]:
    """Return a reader of NAME=VALUE,…; a name may contain an equals sign."""

    def mapping(text: str) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for part in _list(text):
            name, equals, value = part.rpartition("=")
            if not equals or not name:
                raise click.BadParameter(f"{part!r} is not NAME=VALUE, several with commas between")
            if name in values:
                raise click.BadParameter(f"{name} is named twice")
            values[name] = read(value)
        return values

    return mapping


@click.command(context_settings=SETTINGS)
@click.argument("file", type=PATH)
@click.option("--method", type=_methods, metavar="NAME,...", help=f"of {', '.join(METHODS)} (default: all that can)")
@click.option("--fix", type=_by_name(_number), metavar="NAME=SCORE,...", help="fixed scores of logistic ratings")
@click.option("--since", type=_day, metavar="DATE", help="first date of the games that count")
@click.option("--through", "until", type=_day, metavar="DATE", help="last date of the games that count")
@click.option("--least", "min_games", type=click.IntRange(min=1), help="show only players with so many games")
@click.option("--aliases", type=PATH, help="CSV with the columns alias and name")
@click.option("--results", type=PATH, help="folder for tables and pages")
@click.option("--name", help="name of these results (default: that of the file)")
@click.option("--bias", type=click.Choice(["on", "off"]), help="whether moving first counts in logistic ratings")
@click.option("--subset", type=_list, metavar="NAME,...", help="players that tables show and Elo World rates")
@click.option("--fuse", type=_steps, metavar="STEP,...", help="round the number in azero12345 up to one of these steps")
@click.option("--start", type=_by_name(_start), metavar="NAME=RATING[:GAMES],...",
              help="start of Elo, and its weight in games")  # fmt: skip
@click.option("--resume", type=PATH, help="continue Elo from this elo_log.csv")
@click.option("--diluted", type=_by_name(_number), metavar="NAME=SHARE,...",
              help="diluted players: share of their moves by a weak one")  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), help="of the bootstrap and of Elo World")
@JSON
def command(
    file: Path, results: Path | None, name: str | None, bias: str | None, method: Any, as_json: bool, **options: Any
) -> None:
    """Rate the players of FILE: a club's list of results (CSV, text or .xlsx), or another table of games.

    A list has a row for each match: date, player1, player2, score1, score2, length; or winner, loser; or score.

    \b
    Examples:
      bgrating ratings club.xlsx
      bgrating ratings club.csv --since 2026-01-01 --least 5 --aliases alias_suggestions.csv
      bgrating ratings games.log --method logistic,eloworld --fix random=0
    """
    exit_on_signals()
    given = {key: value for key, value in options.items() if value is not None}
    settings = RatingsSettings(methods=method or (), bias={"on": True, "off": False}.get(bias or ""), **given)
    _check(file, settings)
    name, results = name or name_of(file, "games"), results_folder(results)
    check_name(name)
    folder = results / "ratings" / name
    check_folder(folder, PROVENANCE)
    answer = _rate(file, settings, folder)
    page = folder / "report.html"
    facts = {"command": "ratings", "name": name, "folder": str(folder), "answer": answer, "pages": [str(page)]}
    tell(facts, answer, as_json=as_json)


def _check(file: Path, settings: RatingsSettings) -> None:
    if file.is_dir():
        raise RatingsError(f"{file} is a folder: bgrating rate takes match files, ratings takes a list of results")
    for path in (file, settings.resume, settings.aliases):
        if path and not path.is_file():
            raise RatingsError(f"there is no file {path}")
    if settings.since and settings.until and settings.since > settings.until:
        raise RatingsError(f"--since {settings.since} lies after --through {settings.until}")


def _rate(file: Path, settings: RatingsSettings, folder: Path) -> str:
    from bgrating.index import write_index  # noqa: PLC0415
    from bgrating.league.members import by_errors  # noqa: PLC0415
    from bgrating.league.page import page, summary  # noqa: PLC0415
    from bgrating.league.run import rate_results, write  # noqa: PLC0415

    league = rate_results(file, settings)
    notes = write(league, folder, page(league, folder.name, by_errors(folder.parents[1])), settings.aliases)
    notes += write_index(folder.parents[1])
    return "\n".join([*notes, summary(league, (folder / "report.html").resolve().as_uri())])
