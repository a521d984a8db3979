"""`./run calc`: the calculator on the command line."""

import argparse
import math
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from bgrating.rating.calculator import COUNTS, CalculatorError, Figure, Player, Row, calculate, formulas, known_nets

EXAMPLES = """\
Error rates are in milli-EMG: gnubg's match statistics show them, EPM under "Error rate (per move)" of chequer play,
EPC under that of cube decisions.
  ./run calc --length 7 --epm 8.1 --epc 32
  ./run calc --length 7 --epm 8.1 --epc 4.5 --count move
  ./run calc --length 5 --pr 6.5 --against-pr 4
"""


def main(arguments: Sequence[str], _caller: Path) -> int:
    """Print what each formula says; return the exit status. Raises CalculatorError."""
    parser = argparse.ArgumentParser(
        prog="./run calc",
        description="From error rates to a rating, and to a chance of winning against an opponent.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.error = _refuse  # type: ignore[method-assign] # one sentence, not the usage
    parser.add_argument("--length", type=int, required=True, metavar="N", help="match length in points")
    for prefix, whose in (("", "the player's"), ("against-", "the opponent's")):
        parser.add_argument(f"--{prefix}pr", type=float, metavar="PR", help=f"{whose} performance rating")
        parser.add_argument(f"--{prefix}epm", type=float, metavar="RATE", help=f"{whose} error per unforced move")
        parser.add_argument(
            f"--{prefix}epc", type=float, metavar="RATE", help=f"{whose} cube error, counted by --count"
        )
    parser.add_argument("--count", choices=COUNTS, default="close", help="what cube errors are divided by")
    parser.add_argument("--nets", default="", help=f"whose analysis: {' or '.join(known_nets())}")
    parser.add_argument("--depth", default="0-ply", help="level of the analysis (default: 0-ply)")
    parser.add_argument("--offset", type=float, help=f"rating without errors (default: {formulas()['offset']:g})")
    asked = parser.parse_args(list(arguments))
    player = Player(asked.pr, asked.epm, asked.epc, asked.count)
    other = (asked.against_pr, asked.against_epm, asked.against_epc)
    opponent = Player(*other, asked.count) if any(value is not None for value in other) else None
    rows = calculate(player, asked.length, opponent, nets=asked.nets, depth=asked.depth, offset=asked.offset)
    print(described(rows, asked.length))
    return 0 if any(row.rating for row in rows) else 1


def _refuse(message: str) -> NoReturn:
    raise CalculatorError(f"calc: {message}; ./run calc --help shows examples")


def described(rows: Sequence[Row], match_length: int) -> str:
    """Return the rows as text; those that give no figure come last, with the reason."""
    lines = [f"In matches to {match_length} point{'s' * (match_length > 1)} (intervals of 90 %):"]
    for row in rows:
        if row.rating is None:
            continue
        lines += [row.name, f"  rating {_points(row.rating)}"]
        if row.difference and row.chance:
            lines.append(f"  {_points(row.difference)} points the weaker, chance of winning {_percent(row.chance)}")
        if row.warning:
            lines.append(f"  {row.warning}")
    return "\n".join([*lines, *(f"Not from {row.name}: {row.why}" for row in rows if row.rating is None)])


def _points(figure: Figure) -> str:
    between = f" [{figure.low:.0f}, {figure.high:.0f}]" if math.isfinite(figure.low) else ""
    return f"{figure.value:.0f}{between}"


def _percent(figure: Figure) -> str:
    between = f" [{100 * figure.low:.1f}, {100 * figure.high:.1f}]" if math.isfinite(figure.low) else ""
    return f"{100 * figure.value:.1f}{between} %"
