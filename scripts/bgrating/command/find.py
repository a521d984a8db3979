"""`bgrating find`: decisions by what they have in common, in all collections of the results."""

from pathlib import Path

import click

from bgrating.command import JSON, RESULTS, SETTINGS, tell
from bgrating.command.numbers import WholeNumber


@click.command(context_settings=SETTINGS)
@click.argument("criteria", nargs=-1, metavar="[FIELD=VALUE]...")
@click.option("--most", type=WholeNumber(1), default=20, help="how many to show (20)")
@RESULTS
@JSON
def command(criteria: tuple[str, ...], most: int, results: Path, *, as_json: bool) -> None:
    """Find decisions in all rated collections, the costliest first.

    \b
    Columns:
      player=NAME        the player who decides
      plan=PLAN          game plan, such as prime or "back game"
      kind=KIND          play, double, take or pass
      dice=31
      cube=2             value of the cube
      away=3-5           points that the player and the opponent need
      pips=80-120        pips of the player
      loss=0.05          least loss (EMG); without it 0.02
      position=ID        XGID, also its beginning, or gnubg's position ID
    \b
    Examples:
      bgrating find plan=prime dice=61 loss=0.05
      bgrating find player="Ann Lee" kind=take away=2-4
      bgrating find position=4HPwATDgc/ABMA --json
    """
    from bgrating.site.decision_search import find  # noqa: PLC0415

    rows = find(results, dict(word.partition("=")[::2] for word in criteria), most)
    lines = [
        "{loss_emg:.3f} {dice} {played}, best {best}: {player} against {opponent} ({collection})\n"
        "  {xgid}\n  {page}".format_map(row)
        for row in rows
    ]
    text = "\n".join(lines) or "no decision fits; loss=0 finds those that are no error too"
    tell({"command": "find", "found": rows}, text, as_json=as_json)
