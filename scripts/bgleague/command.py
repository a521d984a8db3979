"""The command `bgrating ratings`.

It makes ratings and a league table from a club's list of results, or any table of games.
"""

import unicodedata
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import click

from bgleague.dates import ORDERS
from bgleague.settings import METHODS, PROVENANCE, EloStart, RatingsSettings
from bgmatch.records import Json
from bgrating.command import JSON, PATH, RESULTS, SETTINGS, tell
from bgrating.command.numbers import WholeNumber, read_number, read_whole_number
from bgrating.suggestion import did_you_mean
from bgrating.tables.folder import check_folder, check_name, name_of

PER_PLAYER = ("league", "elo", "fibs", "logistic", "eloworld", "first_mover", "diluted", "periods")
"""The tables with a row a player, which `--json` prints; the tables of games and pairs are files
only."""


def _list(text: str) -> tuple[str, ...]:
    text = unicodedata.normalize("NFC", text)  # the form of names in the games
    return tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


def _methods(text: str) -> tuple[str, ...]:
    for name in _list(text):
        if name not in METHODS:
            raise click.BadParameter(
                f"there is no method {name}{did_you_mean(name, METHODS)}; there are"
                f" {', '.join(METHODS)}"
            )
    return tuple(name for name in METHODS if name in _list(text))


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a date; write it as 2026-03-14") from None


def _steps(text: str) -> tuple[int, ...]:
    steps = tuple(map(read_whole_number, _list(text)))
    if any(step < 0 for step in steps):
        raise click.BadParameter(f"a step is 0 or more, not {min(steps)}")
    return steps


def _start(text: str) -> EloStart:
    rating, *games = text.split(":", 1)
    return EloStart(read_number(rating), *map(read_number, games))


def _by_name(parse: Callable[[str], Any]) -> Callable[[str], Json]:
    """Return a parser of NAME=VALUE,…; a name may contain an equals sign."""

    def mapping(text: str) -> Json:
        values: Json = {}
        for entry in _list(text):
            name, equals, value = entry.rpartition("=")
            if not equals or not name:
                raise click.BadParameter(
                    f"{entry!r} is not NAME=VALUE, several with commas between"
                )
            if name in values:
                raise click.BadParameter(f"{name} is named twice")
            values[name] = parse(value)
        return values

    return mapping


@click.command(context_settings=SETTINGS)
@click.argument("files", type=PATH, nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--method",
    "methods",
    type=_methods,
    metavar="NAME,...",
    help=f"of {', '.join(METHODS)} (default: all that can)",
)
@click.option(
    "--fix",
    type=_by_name(read_number),
    metavar="NAME=SCORE,...",
    help="fixed scores of logistic ratings",
)
@click.option("--since", type=_day, metavar="DATE", help="first date of the games that count")
@click.option(
    "--through", "until", type=_day, metavar="DATE", help="last date of the games that count"
)
@click.option(
    "--least", "min_games", type=WholeNumber(min=1), help="show only players with so many games"
)
@click.option("--provisional", type=WholeNumber(min=0), help="provisional below so many games")
@click.option("--dates", type=click.Choice(list(ORDERS)), help="order of dates such as 03/04/2026")
@click.option("--aliases", type=PATH, help="CSV with the columns alias and name")
@RESULTS
@click.option("--name", help="name of the results (default: the file's)")
@click.option(
    "--bias", type=click.Choice(["on", "off"]), help="does moving first count in logistic ratings?"
)
@click.option(
    "--subset", type=_list, metavar="NAME,...", help="players that tables show and Elo World rates"
)
@click.option(
    "--fuse",
    type=_steps,
    metavar="STEP,...",
    help="round the number in azero12345 up to one of these steps",
)
@click.option(
    "--start",
    metavar="NAME=RATING[:GAMES],...|FILE",
    help="start of Elo, and its weight in games; or an earlier elo.csv to carry over",
)
@click.option(
    "--diluted",
    type=_by_name(read_number),
    metavar="NAME=SHARE,...",
    help="share of a player's moves by a weak one",
)
@click.option("--seed", type=WholeNumber(min=0), help="of the bootstrap and of Elo World")
@JSON
def command(
    files: tuple[Path, ...], name: str | None, results: Path, as_json: bool, **options: Any
) -> None:
    """Rate the players of a club's lists of results (CSV, text, workbook), or of other tables of
    games.

    A list has a row for each match: date, player1, player2, score1, score2, length; or winner,
    loser; or score. Cross tables are read too. Several lists, and folders of match files, make one
    standing; a match in two counts once.

    \b
    Examples:
      bgrating ratings club.xlsx
      bgrating ratings club.csv --since 2026-01-01 --least 5 --aliases alias_suggestions.csv
      bgrating ratings spring.xlsx autumn.csv matches/ --start last-year/elo.csv --method elo
      bgrating ratings games.log --method logistic,eloworld --fix random=0
    """
    settings = _settings({key: value for key, value in options.items() if value is not None})
    name = name or name_of(files[0], "games")
    check_name(name)
    folder = results / "ratings" / name
    check_folder(folder, PROVENANCE)
    answer, tables = _rate(files, settings, folder)
    output = {
        "command": "ratings",
        "name": name,
        "folder": str(folder),
        "answer": answer,
        "tables": tables,
        "pages": [str(folder / "report.html")],
    }
    tell(output, answer, as_json=as_json)


def _settings(options: Json) -> RatingsSettings:
    """Return the settings of the options that are given."""
    start = options.pop("start", "")
    if start and Path(start).is_file():
        options["start_list"] = Path(start)
    elif start:
        options["start"] = _by_name(_start)(start)
    if "bias" in options:
        options["bias"] = options["bias"] == "on"
    return RatingsSettings(**options)


def _rate(files: Sequence[Path], settings: RatingsSettings, folder: Path) -> tuple[str, Json]:
    """Rate, write tables and page; return the answer, and the rows of the tables in PER_PLAYER."""
    from bgleague.league_page import page, summary  # noqa: PLC0415
    from bgleague.members import by_errors  # noqa: PLC0415
    from bgleague.run import rate_results, write  # noqa: PLC0415
    from bgrating.index import write_index  # noqa: PLC0415

    league = rate_results(files, settings)
    notes = write(
        league, folder, page(league, folder.name, by_errors(folder.parents[1])), settings.aliases
    )
    notes += write_index(folder.parents[1])
    tables = {
        name: league.files[f"{name}.csv"].to_dict("records")
        for name in PER_PLAYER
        if f"{name}.csv" in league.files
    }
    return "\n".join([*notes, summary(league, (folder / "report.html").resolve().as_uri())]), tables
