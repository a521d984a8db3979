"""`bgrating decide`: is the first of two levels stronger? Plays until a sequential test decides."""

import os
from pathlib import Path
from typing import Any

import click

from bgrating.command import exit_on_signals
from bgrating.places import results_folder

RATE = click.FloatRange(0, 0.5, min_open=True, max_open=True)


@click.command()
@click.option("--levels", required=True, metavar="NEW,OLD", help="two levels, the one that may be stronger first")
@click.option("--match-length", type=click.IntRange(1, 25), help="points of a match (default: 3)")
@click.option("--better", type=click.FloatRange(0, min_open=True), help="FIBS points that matter (default: 20)")
@click.option("--alpha", type=RATE, help="how often equal levels may be called different (default: 0.05)")
@click.option("--beta", type=RATE, help="how often a level better by that may be missed (default: 0.05)")
@click.option("--most", type=click.IntRange(100, 100_000), help="matches to end after (default: 20000)")
@click.option("--seed", type=click.IntRange(0), help="seed of dice and noise")
@click.option("--engine", default="", help="a name of gnubg_configs/engines or the path of gnubg")
@click.option("--nets", default="", help="the nets that the engine must have")
@click.option("--concurrency", type=click.IntRange(1), help="engines at a time (default: one for each core)")
@click.option("--time-limit", type=click.FloatRange(0, min_open=True), default=240.0, show_default=True,
              help="minutes that one engine may take for 50 matches")  # fmt: skip
@click.option("--results", type=click.Path(path_type=Path), help="folder of the results")
@click.option("--name", help="name of the results (default: that of a tournament of this match length)")
def command(
    results: Path | None, concurrency: int | None, time_limit: float, engine: str, nets: str, **asked: Any
) -> None:
    """Play two levels of the engine until it is settled whether the first is stronger.

    Wald's sequential test, on results less luck: it looks after every 100 matches. What was played stays: the same
    command goes on from there.

    \b
    Example:
      bgrating decide --levels expert,advanced --match-length 5 --better 20
    """
    from bgrating.tournament.design import tournament  # noqa: PLC0415

    exit_on_signals()
    settings = {key: value for key, value in asked.items() if value is not None}
    tournament({**settings, "results": "", "nets": ""})  # wrong levels are refused before what takes long is loaded

    from bgrating.engine.locate import find_engine  # noqa: PLC0415
    from bgrating.play.shards import Limits  # noqa: PLC0415
    from bgrating.tournament import duel  # noqa: PLC0415

    found_engine = find_engine(engine, nets)
    place = results_folder(results) / found_engine.known.nets
    found = duel.duel({**settings, "results": str(place.parent), "nets": place.name}, place)
    folder = place / found.tournament.design.study
    limits = Limits(60 * time_limit, folder / "logs" / "decide.log")
    table = duel.decide(found, duel.engine_play(found_engine, found, limits), concurrency or os.cpu_count() or 1)
    click.echo(duel.write(found, table, folder), nl=False)
