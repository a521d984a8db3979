"""`bgrating decide`: is the first of two sides stronger? Plays until a sequential test decides."""

import os
import sys
import time
from pathlib import Path
from typing import Any

import click

from bgrating.command import JSON, RESULTS, SETTINGS, rewrite, tell
from bgrating.command.numbers import Number, WholeNumber

RATE = Number(0, 0.5, min_open=True, max_open=True)
ELO = Number(-4000, 4000)


@click.command(context_settings=SETTINGS)
@click.option(
    "--levels", required=True, metavar="NEW,OLD", help="two sides: is the first stronger?"
)
@click.option(
    "--match-length", type=WholeNumber(1, 25), metavar="N", help="points of a match (default: 3)"
)
@click.option("--money", is_flag=True, help="money games; --better is points a game")
@click.option(
    "--better",
    type=Number(0, min_open=True),
    metavar="R",
    help="gain to detect (20 points; 0.05 a game)",
)
@click.option("--elo0", type=ELO, metavar="E", help="for --better: null hypothesis")
@click.option("--elo1", type=ELO, metavar="E", help="with --elo0: alternative")
@click.option("--alpha", type=RATE, metavar="P", help='false "stronger" (default: 0.05)')
@click.option("--beta", type=RATE, metavar="P", help="missed gain (default: 0.05)")
@click.option(
    "--most", type=WholeNumber(1, 100_000), metavar="N", help="most matches (default: 20000)"
)
@click.option("--seed", type=WholeNumber(0), metavar="N", help="seed of dice and noise")
@click.option("--engine", default="", help="the engine that analyses (see above)")
@click.option(
    "--concurrency", type=WholeNumber(1), metavar="N", help="matches at a time (default: cores)"
)
@click.option(
    "--option",
    multiple=True,
    metavar="SIDE:NAME=VALUE",
    help="an option of UBGI side 1 or 2",
)
@click.option(
    "--file", multiple=True, metavar="SIDE:PATH", help="what identifies a side, not its folder"
)
@click.option("--no-luck", is_flag=True, help="never subtract luck (default: where cheaper)")
@click.option("--trace", is_flag=True, help="keep conversations with programs in the logs")
@JSON
@click.option(
    "--answer-limit",
    type=Number(0, min_open=True),
    metavar="S",
    default=60.0,
    show_default=True,
    help="seconds for an answer; 10 more to load",
)
@click.option(
    "--time-limit",
    type=Number(0, min_open=True),
    metavar="MIN",
    default=240.0,
    show_default=True,
    help="CPU minutes for 10 matches",
)
@RESULTS
@click.option("--name", help="name of the results (default: by sides)")
def command(
    results: Path, concurrency: int | None, engine: str, *, as_json: bool, **options: Any
) -> int:
    """Play two sides until it is settled whether the first is stronger.

    A side is a level of gnubg, LEVEL@ENGINE, bgsage[:LEVEL] or ubgi:COMMAND. ENGINE is a known name
    or a gnubg program. A gnubg process may take 4 GiB of memory, another program what the shell
    allows (ulimit -v). The same command continues a run that stopped. Exit status: 0 stronger,
    2 not, 3 undecided, 4 invalid, 1 error.

    \b
    Examples:
      bgrating decide --levels expert,advanced --match-length 5 --better 20
      bgrating decide --levels expert@/opt/new/gnubg,expert --elo0 0 --elo1 5
      bgrating decide --levels "ubgi:./engine --fast,expert" --match-length 1
    """
    from bgrating.engine.side_names import are_levels, pair_of, require_playable  # noqa: PLC0415

    settings = {key: value for key, value in options.items() if value is not None}
    sides = pair_of(settings["levels"])
    if are_levels(sides):  # refuse wrong levels before slow imports
        require_playable(sides)

    from bgduel import duel, plan, verdict  # noqa: PLC0415
    from bgrating.engine.locate import find_engine  # noqa: PLC0415

    analysis_engine = find_engine(engine)
    progress = ProgressLine()
    folder = results / analysis_engine.known.version
    planned = plan.plan(settings, folder, analysis_engine, progress.add)
    for sentence in planned.warnings():
        click.echo(f"bgrating: {sentence}", err=True)
    # More workers would only play more matches after the deciding one.
    cores = os.cpu_count() or 1
    workers = min(concurrency or cores, cores)
    outcome = duel.decide(planned, workers, progress.show)
    rewrite("")
    verdict.write(outcome)
    tell(verdict.answer(outcome), verdict.summary(outcome), as_json=as_json)
    return verdict.STATUS[outcome.decision]


class ProgressLine:
    """Progress on standard error: one line of a terminal, else a new line every minute."""

    def __init__(self) -> None:
        self._played = 0
        self._began = time.monotonic()
        self._shown = self._began

    def add(self, matches: int) -> None:
        self._played += matches

    def show(self, looks: Any) -> None:
        """Show the pace and the last of the looks, if it is time to."""
        now = time.monotonic()
        is_terminal = sys.stderr.isatty()
        if now - self._shown < (0.2 if is_terminal else 60.0):
            return
        self._shown = now
        pace = 60 * self._played / (now - self._began)
        line = f"{self._played:,} matches played, {pace:.1f} a minute"
        if len(looks):
            last = looks.iloc[-1]
            bounds = f"{last['lower']:.2f} to {last['upper']:.2f}"
            ratio = f"log likelihood ratio {last['log_likelihood_ratio']:.2f} of {bounds}"
            line += f"; after {last['matches']:,} {ratio}"
        if is_terminal:
            rewrite(line)
        else:
            click.echo(line, err=True)
