"""`bgrating calc`: a rating from error rates, and the chance against an opponent."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import click

from bgmatch.scales import OFFSET
from bgrating.command import JSON, SETTINGS, tell
from bgrating.command.numbers import Number, WholeNumber
from bgrating.rating.calculator import (
    LIMITS,
    NOTE,
    Figure,
    Player,
    Row,
    calculate,
    worth_showing,
)
from bgrating.rating.cube_counts import OPTIONS
from bgrating.rating.known import ENGINE_VERSIONS

_RATES = {
    "epc": "cube error, divided by --count",
    "epm": "error per unforced move",
    "pr": "PR",
}
_AGAINST = "against_"


def _rates(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of the rates of both players to a command."""
    for prefix, owner in ((_AGAINST, "the opponent's"), ("", "the player's")):
        for name, description in _RATES.items():
            option = f"--{prefix}{name}".replace("_", "-")
            command = click.option(option, type=Number(), help=f"{owner} {description}")(command)
    return command


@click.command(context_settings=SETTINGS)
@click.option(
    "--length", type=WholeNumber(), default=7, show_default=True, help="match length in points"
)
@_rates
@click.option(
    "--count",
    type=click.Choice(list(OPTIONS)),
    default="close",
    show_default=True,
    help="what cube errors are divided by",
)
@click.option(
    "--depth",
    default="0-ply",
    show_default=True,
    help="depth of the analysis that found the errors",
)
@click.option(
    "--nets",
    default="",
    help=f"gnubg that found the errors: {' or '.join(ENGINE_VERSIONS)} (default: the newest)",
)
@click.option(
    "--offset", type=Number(), help=f"rating of a player without errors  [default: {OFFSET:g}]"
)
@click.option(
    "--matches", type=WholeNumber(min=1), help="how many matches the player's PR comes from"
)
@click.option(
    "--below",
    type=Number(),
    multiple=True,
    help=(
        "chance that the true PR is below this limit, may be repeated "
        f"[default with --matches: {', '.join(f'{limit:g}' for limit in LIMITS)}]"
    ),
)
@JSON
def command(length: int, count: str, *, as_json: bool, **options: Any) -> int:
    """Give a rating from error rates, and the chance of winning against an opponent.

    Error rates are in milli-EMG, as in gnubg's match statistics. EPM is the "Error rate" of chequer
    play, EPC that of cube decisions. A player needs both, or a PR.

    \b
    Examples:
      bgrating calc --length 7 --epm 8.1 --epc 32
      bgrating calc --length 7 --epm 8.1 --epc 4.5 --count move
      bgrating calc --length 5 --pr 6.5 --against-pr 4
      bgrating calc --pr 5.8 --matches 12 --below 6.5
    """
    player_rates = {name: options[name] for name in _RATES}
    opponent_rates = {name: options[_AGAINST + name] for name in _RATES}
    is_against = any(rate is not None for rate in opponent_rates.values())
    opponent = Player(**opponent_rates, count=count) if is_against else None
    settings = {name: options[name] for name in ("nets", "depth", "offset")}
    rows = calculate(Player(**player_rates, count=count), length, opponent, **settings)
    text = described(rows, length)
    matches = options["matches"]
    chances: Sequence[Any] = []
    if matches or options["below"]:
        chances = _chances(player_rates["pr"], matches, length, options["below"], options["depth"])
        played = f"{_counted(matches, 'match', 'matches')} to {_counted(length, 'point', 'points')}"
        text += f"\nPR {player_rates['pr']:g} from {played}, analysed by gnubg:"
        text += " chance that the true PR is"
        text += "".join(f"\n  {chance.description}" for chance in chances)
    answer = {"command": "calc", "length": length, "formulas": list(map(asdict, rows))}
    tell(answer | {"chances": list(map(asdict, chances))}, text, as_json=as_json)
    return 0 if any(row.rating for row in rows) else 1


def _counted(count: int, noun: str, plural: str) -> str:
    return f"1 {noun}" if count == 1 else f"{count} {plural}"


def described(rows: Sequence[Row], match_length: int) -> str:
    """Return the ratings and chances of all formulas as text, and why one of our formulas has
    none.
    """
    lines = [f"In matches to {_counted(match_length, 'point', 'points')} (intervals of 90 %):"]
    for row in worth_showing(rows):
        if row.rating is None:
            lines += [row.name, f"  no rating: {_why(row)}"]
            continue
        lines += [row.name, f"  rating {_rounded(row.rating)}"]
        if row.difference and row.chance:
            points = row.difference
            side = "weaker"
            if points.value < 0:
                points = Figure(-points.value, -points.high, -points.low)
                side = "stronger"
            lines.append(
                f"  {_rounded(points)} points the {side}, chance of winning"
                f" {_rounded(row.chance, 100, 1)} %"
            )
        if row.warning:
            lines.append(f"  {row.warning}")
    if any(row.rating for row in rows):
        lines.append(NOTE)
    return "\n".join(lines)


def _why(row: Row) -> str:
    count = next((name for name, count in OPTIONS.items() if row.why.endswith(count.short)), "")
    return f"{row.why} (--count {count})" if count else row.why


def _chances(
    pr: float | None, matches: int | None, length: int, below: Sequence[float], depth: str
) -> Sequence[Any]:
    if pr is None or not matches:
        raise click.UsageError(
            "the chance of a true PR below a limit needs --pr, and --matches that it comes from"
        )
    if depth != "0-ply":
        raise click.UsageError(f"how PRs scatter is known at 0-ply, not at {depth}")
    # pandas takes half a second, and a rating does not need it
    from bgrating.rating.limits import pr_below  # noqa: PLC0415

    return pr_below(pr, matches, length, below or LIMITS)


def _rounded(figure: Figure, factor: int = 1, decimals: int = 0) -> str:
    # Without errors a figure is exact by definition, and has no interval.
    value, low, high = (
        f"{factor * number:.{decimals}f}" for number in (figure.value, figure.low, figure.high)
    )
    return f"{value} [{low}, {high}]" if figure.low < figure.high else value
