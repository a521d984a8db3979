"""Write the tables of every method."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.league import elo, eloworld, logistic
from bgrating.league.cells import Cells, cells_of, first_mover, matrices, odds_beside_elo, target
from bgrating.league.compare import by_length, chances, comparable, usual_length
from bgrating.league.games import players_of, read_games_table
from bgrating.league.history import history
from bgrating.league.outcomes import CELL, picture
from bgrating.league.plan import Plan
from bgrating.league.separation import components
from bgrating.league.settings import RatingsSettings
from bgrating.rating.intervals import CONFIDENCE
from bgrating.tables.provenance import whole, write_provenance
from bgrating.tables.tables import write_all, write_json, write_matrix

ELO_RUNS = 100


def write_method(method: str, asked: RatingsSettings, folder: Path, plan: Plan, threads: int = 1) -> list[str]:
    """Rate the games of a folder by a method, write its tables (TABLES) there; return what there is to say."""
    games = read_games_table(folder / "games.csv")
    writers: dict[str, Callable[[pd.DataFrame, RatingsSettings, Path, Plan], list[str]]] = {
        "elo": _elo, "logistic": _logistic, "eloworld": partial(_eloworld, threads=threads), "fibs": _fibs,
        "history": _history,
    }  # fmt: skip
    return writers[method](games, asked, folder, plan)


def _elo(games: pd.DataFrame, asked: RatingsSettings, folder: Path, plan: Plan) -> list[str]:
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
    about = {"seed": asked.seed, "runs": ELO_RUNS, "confidence": CONFIDENCE, "order_of_file": of_file}
    made = {
        "elo": table,
        "elo_log": log[elo.LOG],
        "elo_runs": runs.rename_axis("run").reset_index().melt(id_vars="run", var_name="player", value_name="rating"),
        "odds": odds_beside_elo(games, table.set_index("player")["rating"]),
        "first_mover": first_mover(games),
    }
    write_all(made, folder, "ratings", **(plan.facts | about))
    return said


def _logistic(games: pd.DataFrame, asked: RatingsSettings, folder: Path, plan: Plan) -> list[str]:
    """Without seats (nobody moves first by his name's place) and without bias=on there is no bias."""
    bias = False if asked.bias is None and not plan.seats else asked.bias
    fitted = logistic.fit(games, asked.fix, bias=bias)
    about = {**plan.facts, "fix": asked.fix, "confidence": CONFIDENCE}
    write_json(fitted.scores, folder / "logistic.json", **about)
    write_json(fitted.facts, folder / "logistic_fit.json", **about)
    order = _in_order(fitted, plan)
    write_matrix(target(games, order), folder / "target.csv", **about)
    write_matrix(logistic.predictions(fitted, order), folder / "pred.csv", **about)
    write_all({"logistic": fitted.players, "head_to_head": chances(games, fitted, order)}, folder, "ratings", **about)
    return []


def _fibs(games: pd.DataFrame, asked: RatingsSettings, folder: Path, plan: Plan) -> list[str]:
    """Ratings in which long matches say more, by the FIBS formula."""
    fitted = by_length(games)
    length = float(asked.match_length or usual_length(games))
    made = {
        "fibs": fitted.players.rename(columns={"score": "rating"}),
        "fibs_chances": chances(games, fitted, _in_order(fitted, plan), length),
    }
    write_all(made, folder, "ratings", **{**plan.facts, "confidence": CONFIDENCE, "match_length": length})
    return []


def _history(games: pd.DataFrame, asked: RatingsSettings, folder: Path, plan: Plan) -> list[str]:
    about = {**plan.facts, "confidence": CONFIDENCE, "drift": asked.drift}
    write_all({"history": history(games, asked.drift)}, folder, "ratings", **about)
    return []


def _eloworld(games: pd.DataFrame, asked: RatingsSettings, folder: Path, plan: Plan, threads: int) -> list[str]:
    """Self-play is not rated, but the picture shows it."""
    counted = cells_of(pd.concat([games, read_games_table(folder / "self_play.csv")], ignore_index=True))
    cells = matrices(counted, list(dict.fromkeys(asked.subset)) or None)
    rated = eloworld.elo_world(cells, asked.seed, threads=threads)
    ablated = eloworld.ablation(cells, rated, asked.seed)
    rated = eloworld.with_ablation(rated, ablated)
    about = {**plan.facts, "seed": asked.seed, "runs": eloworld.RUNS, "passes": eloworld.PASSES}
    made = {"cells": counted, "ablation": ablated, "eloworld": rated}
    if asked.diluted:
        made["diluted"] = comparable(rated, asked.diluted)
    write_all(made, folder, "ratings", **about)
    write_picture(cells, rated, folder / "outcomes.png", about)
    return []


def _in_order(fitted: logistic.Fit, plan: Plan) -> list[str]:
    """Return the players that are shown, best first."""
    wanted = set(plan.shown)
    return [name for name in fitted.players["player"] if name in wanted]


def write_picture(cells: Cells, rated: pd.DataFrame, path: Path, about: Mapping[str, Any]) -> None:
    """Write the outcome picture; its provenance says where its cells stand and whose they are."""
    rising = rated.iloc[::-1]
    drawn = picture(cells.of(rising["player"].tolist()), rising["elo"].tolist())
    with whole(path) as part:
        drawn.image.save(part, format="PNG")
    place = {"left": drawn.left, "top": drawn.top, "cell_pixels": CELL, "players": rising["player"].tolist()}
    write_provenance(path, **about, **place)
