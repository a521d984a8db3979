"""Write the tables of the three methods."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.provenance import whole, write_provenance
from bgrating.ratings import elo, eloworld, logistic
from bgrating.ratings.cells import Cells, cells_of, matrices
from bgrating.ratings.diluted import comparable
from bgrating.ratings.games import players_of
from bgrating.ratings.history import history
from bgrating.ratings.league import by_length, chances, usual_length
from bgrating.ratings.outcomes import CELL, picture
from bgrating.ratings.pairs import first_mover, odds_beside_elo, target
from bgrating.ratings.plan import Plan
from bgrating.ratings.separation import components
from bgrating.ratings.settings import RatingsSettings
from bgrating.tables import write_json, write_matrix, write_table

ELO_RUNS = 100


def write_elo(games: pd.DataFrame, asked: RatingsSettings, folder: Path, about: Mapping[str, Any]) -> list[str]:
    """Write elo.csv, elo_log.csv, elo_runs.csv, odds.csv and first_mover.csv; return what there is to say."""
    said: list[str] = []
    before = None
    if asked.resume:
        before, said = elo.read_log(Path(asked.resume).read_text(encoding="utf-8"))
    each, of_file = elo.in_order(games, asked.seed)
    if not of_file:
        said.append(f"the games have no order: they were shuffled with seed {asked.seed}")
    table, log = elo.rate(each, asked.start, before)
    runs = elo.drawn_runs(games, ELO_RUNS, len(each), asked.seed, asked.start, in_order=of_file)
    players = players_of(games)
    group = pd.Series(components(games, players), index=players)
    table = table.merge(elo.summary(runs), on="player").assign(component=table["player"].map(group))
    about = {**about, "seed": asked.seed, "runs": ELO_RUNS, "confidence": elo.CONFIDENCE, "order_of_file": of_file}
    write_table(table, folder / "elo.csv", "ratings/elo", **about)
    write_table(log[elo.LOG], folder / "elo_log.csv", "ratings/elo_log", **about)
    long = runs.rename_axis("run").reset_index().melt(id_vars="run", var_name="player", value_name="rating")
    write_table(long, folder / "elo_runs.csv", "ratings/elo_runs", **about)
    odds = odds_beside_elo(games, table.set_index("player")["rating"])
    write_table(odds, folder / "odds.csv", "ratings/odds", **about)
    write_table(first_mover(games), folder / "first_mover.csv", "ratings/first_mover", **about)
    return said


def write_logistic(games: pd.DataFrame, asked: RatingsSettings, folder: Path, plan: Plan) -> None:
    """Write logistic.csv, logistic.json, logistic_fit.json, target.csv, pred.csv and head_to_head.csv.

    Without seats (nobody moves first by his name's place) and without bias=on there is no bias.
    """
    bias = False if asked.bias is None and not plan.seats else asked.bias
    fitted = logistic.fit(games, asked.fix, bias=bias)
    about = {**plan.facts, "fix": asked.fix, "confidence": logistic.CONFIDENCE}
    write_table(fitted.players, folder / "logistic.csv", "ratings/logistic", **about)
    write_json(fitted.scores, folder / "logistic.json", **about)
    write_json(fitted.facts, folder / "logistic_fit.json", **about)
    order = _in_order(fitted, plan)
    write_matrix(target(games, order), folder / "target.csv", **about)
    write_matrix(logistic.predictions(fitted, order), folder / "pred.csv", **about)
    write_table(chances(games, fitted, order), folder / "head_to_head.csv", "ratings/head_to_head", **about)


def write_fibs(games: pd.DataFrame, asked: RatingsSettings, folder: Path, plan: Plan) -> None:
    """Write fibs.csv and fibs_chances.csv: ratings in which long matches say more, by the FIBS formula."""
    fitted = by_length(games)
    length = float(asked.match_length or usual_length(games))
    about = {**plan.facts, "confidence": logistic.CONFIDENCE, "match_length": length}
    rated = fitted.players.rename(columns={"score": "rating"})
    write_table(rated, folder / "fibs.csv", "ratings/fibs", **about)
    write_table(
        chances(games, fitted, _in_order(fitted, plan), length),
        folder / "fibs_chances.csv",
        "ratings/fibs_chances",
        **about,
    )


def write_history(games: pd.DataFrame, asked: RatingsSettings, folder: Path, plan: Plan) -> None:
    """Write history.csv."""
    about = {**plan.facts, "confidence": logistic.CONFIDENCE, "drift": asked.drift}
    write_table(history(games, asked.drift), folder / "history.csv", "ratings/history", **about)


def _in_order(fitted: logistic.Fit, plan: Plan) -> list[str]:
    """Return the players that are shown, best first."""
    wanted = set(plan.shown)
    return [name for name in fitted.players["player"] if name in wanted]


def write_elo_world(
    games: pd.DataFrame,
    self_play: pd.DataFrame,
    asked: RatingsSettings,
    folder: Path,
    about: Mapping[str, Any],
    threads: int | None = None,
) -> None:
    """Write cells.csv, eloworld.csv, ablation.csv, outcomes.png and, with diluted players, diluted.csv.

    Self-play is not rated, but the picture shows it.
    """
    counted = cells_of(pd.concat([games, self_play], ignore_index=True))
    cells = matrices(counted, list(dict.fromkeys(asked.subset)) or None)
    rated = eloworld.elo_world(cells, asked.seed, threads=threads)
    ablated = eloworld.ablation(cells, rated, asked.seed)
    rated = eloworld.with_ablation(rated, ablated)
    about = {**about, "seed": asked.seed, "runs": eloworld.RUNS, "passes": eloworld.PASSES}
    write_table(counted, folder / "cells.csv", "ratings/cells", **about)
    write_table(ablated, folder / "ablation.csv", "ratings/ablation", **about)
    write_table(rated, folder / "eloworld.csv", "ratings/eloworld", **about)
    if asked.diluted:
        write_table(comparable(rated, asked.diluted), folder / "diluted.csv", "ratings/diluted", **about)
    write_picture(cells, rated, folder / "outcomes.png", about)


def write_picture(cells: Cells, rated: pd.DataFrame, path: Path, about: Mapping[str, Any]) -> None:
    """Write the outcome picture; its provenance says where its cells stand and whose they are."""
    rising = rated.iloc[::-1]
    drawn = picture(cells.of(rising["player"].tolist()), rising["elo"].tolist())
    with whole(path) as part:
        drawn.image.save(part, format="PNG")
    place = {"left": drawn.left, "top": drawn.top, "cell_pixels": CELL, "players": rising["player"].tolist()}
    write_provenance(path, **about, **place)


def shown(players: Sequence[str], subset: Sequence[str], most: int) -> list[str]:
    """Choose the players that a picture shows: those asked for, or the first ones as far as there is room."""
    wanted = [name for name in players if name in subset] if subset else list(players)
    return wanted[:most]
