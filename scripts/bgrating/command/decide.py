"""`bgrating decide`: is the first of two sides stronger? Plays until a sequential test decides."""

import os
from pathlib import Path
from threading import Event
from typing import Any

import click

from bgrating.command import PATH, SETTINGS, FiniteRange, exit_on_signals
from bgrating.places import results_folder

RATE = FiniteRange(0, 0.5, min_open=True, max_open=True)
ELO = FiniteRange(-4000, 4000)


@click.command(context_settings=SETTINGS)
@click.option("--levels", required=True, metavar="NEW,OLD", help="two sides, the one that may be stronger first")
@click.option("--match-length", type=click.IntRange(1, 25), metavar="N", help="points of a match (default: 3)")
@click.option("--better", type=FiniteRange(0, min_open=True), metavar="R", help="FIBS points to detect (default: 20)")
@click.option("--elo0", type=ELO, metavar="E", help="instead of --better: Elo of the null hypothesis")
@click.option("--elo1", type=ELO, metavar="E", help="with --elo0: Elo of the alternative")
@click.option("--alpha", type=RATE, metavar="P", help="probability of a false stronger (default: 0.05)")
@click.option("--beta", type=RATE, metavar="P", help="probability of missing it (default: 0.05)")
@click.option("--most", type=click.IntRange(100, 100_000), metavar="N", help="most matches to play (default: 20000)")
@click.option("--seed", type=click.IntRange(0), metavar="N", help="seed of dice and noise")
@click.option("--engine", default="", help="a name of gnubg_configs/engines or the path of gnubg; it judges")
@click.option("--nets", default="", help="the nets that the engine must have")
@click.option("--concurrency", type=click.IntRange(1), metavar="N", help="matches at a time (default: one per core)")
@click.option("--answer-limit", type=FiniteRange(0, min_open=True), metavar="S",
              help="seconds that a program may take for an answer (default: 60)")  # fmt: skip
@click.option("--time-limit", type=FiniteRange(0, min_open=True), metavar="MIN", default=240.0, show_default=True,
              help="minutes that one engine may take for 50 matches")  # fmt: skip
@click.option("--results", type=PATH, help="folder of the results")
@click.option("--name", help="name of the results (default: from sides and match length)")
def command(
    results: Path | None, concurrency: int | None, time_limit: float, engine: str, nets: str, **options: Any
) -> int:
    """Play two sides until it is settled whether the first is stronger.

    A side is a level of gnubg, LEVEL@ENGINE, bgsage, bgsage:LEVEL, or ubgi:COMMAND for a program that speaks UBGI.
    ENGINE is a name of gnubg_configs/engines or the path of a gnubg program.

    Wald's sequential test on luck-adjusted results looks after every 100 matches. The same command continues a run
    that stopped. Exit status: 0 stronger, 2 not stronger, 3 undecided, 1 an error.

    \b
    Examples:
      bgrating decide --levels expert,advanced --match-length 5 --better 20
      bgrating decide --levels expert@/opt/new/gnubg,expert --elo0 0 --elo1 5
      bgrating decide --levels "ubgi:./engine --fast,expert" --match-length 1
    """
    from bgrating.referee.names import are_levels, names_of  # noqa: PLC0415
    from bgrating.tournament.design import tournament  # noqa: PLC0415

    exit_on_signals()
    settings = {key: value for key, value in options.items() if value is not None}
    of_one_engine = are_levels(names_of(settings["levels"]))
    if of_one_engine:  # refuse wrong levels before slow imports
        tournament({**settings, "results": "", "nets": ""})

    from bgrating.engine.locate import find_engine  # noqa: PLC0415
    from bgrating.play.shards import Limits  # noqa: PLC0415
    from bgrating.tournament import duel  # noqa: PLC0415

    judge = find_engine(engine, nets)
    place = results_folder(results) / judge.known.nets
    stop, cores = Event(), concurrency or os.cpu_count() or 1
    seconds = 60 * time_limit
    if of_one_engine:
        settings |= {"results": str(place.parent), "nets": place.name}
        planned, programs = duel.duel(settings, place, judge), None
        play = duel.engine_play(judge, settings, Limits(seconds, planned.folder / "logs" / "decide.log"))
    else:
        planned, programs = duel.duel_of_programs(settings, place, judge, seconds, stop)
        play = duel.programs_play(programs)
    table = duel.decide(planned, play, cores, lambda row: click.echo(duel.line(planned, row)), stop)
    click.echo(duel.write(planned, table, programs), nl=False)
    return duel.STATUS[table["decision"].iloc[-1]]
