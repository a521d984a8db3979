"""`bgrating decide`: is the first of two sides stronger? Plays until a sequential test decides."""

import json
import os
import sys
import time
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

import click

from bgrating.command import PATH, SETTINGS, exit_on_signals, rewrite
from bgrating.command.numbers import Number, WholeNumber
from bgrating.places import results_folder

if TYPE_CHECKING:
    import pandas as pd


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
@click.option("--engine", default="", help="the engine that judges (see above)")
@click.option("--nets", default="", help="the nets that the engine must have")
@click.option(
    "--concurrency", type=WholeNumber(1), metavar="N", help="matches at a time (default: cores)"
)
@click.option(
    "--option",
    multiple=True,
    metavar="SIDE:NAME=VALUE",
    help="an option of a UBGI side (a name, 1 or 2)",
)
@click.option(
    "--file", multiple=True, metavar="SIDE:PATH", help="what identifies a side, not its folder"
)
@click.option("--no-luck", is_flag=True, help="never subtract luck (default: where cheaper)")
@click.option("--restart", is_flag=True, help="start UBGI programs anew after every 10 matches")
@click.option("--trace", is_flag=True, help="keep conversations with programs in the logs")
@click.option("--json", "as_json", is_flag=True, help="the verdict as one line of JSON")
@click.option(
    "--answer-limit",
    type=Number(0, min_open=True),
    metavar="S",
    help="seconds an answer, 10 to load (default: 60)",
)
@click.option(
    "--time-limit",
    type=Number(0, min_open=True),
    metavar="MIN",
    default=240.0,
    show_default=True,
    help="CPU minutes for 10 matches",
)
@click.option("--results", type=PATH, help="folder of the results")
@click.option("--name", help="name of the results (default: by sides)")
def command(
    results: Path | None,
    concurrency: int | None,
    time_limit: float,
    engine: str,
    nets: str,
    as_json: bool,
    **options: Any,
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

    exit_on_signals()
    settings = {key: value for key, value in options.items() if value is not None}
    sides = pair_of(settings["levels"])
    if are_levels(sides):  # refuse wrong levels before slow imports
        require_playable(sides)

    from bgduel import duel, verdict  # noqa: PLC0415
    from bgduel.plan import Run, plan  # noqa: PLC0415
    from bgrating.engine.locate import find_engine  # noqa: PLC0415

    judge = find_engine(engine, nets)
    place = results_folder(results) / judge.known.nets
    progress = ProgressLine()
    run = Run(judge, 60 * time_limit, Event(), progress.match)
    planned = plan(settings, place, run)
    for sentence in planned.warnings():
        click.echo(f"bgrating: {sentence}", err=True)
    # More workers would only play more matches after the deciding one.
    cores = min(concurrency or cpus(), cpus())
    outcome = duel.decide(planned, cores, progress.show)
    rewrite("")
    text = verdict.write(outcome)
    told = verdict.facts(outcome)
    click.echo(json.dumps(told) + "\n" if as_json else text, nl=False)
    return verdict.STATUS[outcome.decision]


def cpus() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class ProgressLine:
    """Progress on standard error: one line of a terminal, else a new line every minute."""

    def __init__(self) -> None:
        self._played, self._began, self._shown = 0, time.monotonic(), time.monotonic()

    def match(self) -> None:
        self._played += 1

    def show(self, looks: "pd.DataFrame") -> None:
        now = time.monotonic()
        is_terminal = sys.stderr.isatty()
        if now - self._shown < (0.2 if is_terminal else 60.0):
            return
        self._shown = now
        line = self._line(looks, (now - self._began) / 60)
        if is_terminal:
            rewrite(line)
        else:
            click.echo(line, err=True)

    def _line(self, looks: "pd.DataFrame", minutes: float) -> str:
        line = f"{self._played:,} matches played, {self._played / minutes:.1f} a minute"
        if not len(looks):
            return line
        last = looks.iloc[-1]
        return (
            f"{line}; after {last['matches']:,} log likelihood ratio"
            f" {last['log_likelihood_ratio']:.2f} of {last['lower']:.2f} to {last['upper']:.2f}"
        )
