"""Write the tables of a tournament."""

import math
from itertools import permutations
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from bgleague import logistic
from bgleague.outcomes import picture
from bgleague.pair_counts import first_mover, pair_counts, totals
from bgleague.tournament.design import Tournament
from bgleague.tournament.played import TournamentMatches, in_rounds
from bgleague.tournament.systems import (
    REPLICATES,
    SYSTEMS,
    error_rates,
    luck_adjusted,
    points_per_unit_of_log_odds,
    rate_with_replicates,
)
from bgmatch.records import Json, Record
from bgrating.rating.choose import RatingModel, choose
from bgrating.rating.fibs_formula import Floats, of_elo
from bgrating.rating.intervals import CONFIDENCE, interval_of_draws
from bgrating.tables.dictionary import columns
from bgrating.tables.table_files import write_all, write_json

_ANY = (0.0, math.inf)
TABLES = ("tournament", "cells", "seats")


def write_tables(
    matches: pd.DataFrame,
    tournament: Tournament,
    folder: Path,
    engine_version: str,
    source: Record,
    replicates: int = REPLICATES,
) -> None:
    """Rate the matches of a tournament and write its tables, fit.json and outcomes.png, each with
    its provenance.

    `source` is the provenance of the matches. Raises TournamentError for cells without matches.
    """
    seed = tournament.design.seed
    model = choose("fitted", engine_version)
    games = in_rounds(matches, tournament.levels, tournament.match_length, seed)
    ratings, replicated = rate_with_replicates(games, model, seed, replicates)
    metadata = {
        **source,
        "seed": seed,
        "replicates": replicates,
        "confidence": CONFIDENCE,
        "errors_fitted": model.description,
    }
    order = ratings[list(SYSTEMS)].mean(axis=1).sort_values(ascending=False, kind="stable").index
    tables = {
        "tournament": _tournament(games, ratings, replicated, model).loc[order].reset_index(),
        "cells": cells_table(games),
        "seats": first_mover(games.table),
    }
    write_all(tables, folder, "tournament", **metadata)
    write_json(_fit(games), folder / "fit.json", **metadata)
    rising = ratings["eloworld"].sort_values(ascending=False, kind="stable")[::-1]
    drawn = picture(pair_counts(games.table, list(rising.index)), rising.tolist())
    drawn.write(folder / "outcomes.png", **metadata)


def _tournament(
    games: TournamentMatches, ratings: pd.DataFrame, replicates: Floats, model: RatingModel
) -> pd.DataFrame:
    table = totals(games.table).set_index("player").loc[list(games.players), ["games", "wins"]]
    low, high = interval_of_draws(replicates)
    values = ratings.to_numpy()
    systems = slice(len(SYSTEMS))
    # Elo in the order of play may lie outside all resampled orders, as for a player who lost every
    # match.
    low[:, systems] = np.minimum(low, values)[:, systems]
    high[:, systems] = np.maximum(high, values)[:, systems]
    for index, column in enumerate(ratings):
        table[column] = ratings[column]
        table[f"{column}_ci_low"] = low[:, index]
        table[f"{column}_ci_high"] = high[:, index]
    table["epm"], table["epc"] = error_rates(games, "close_cube_decisions")
    table["errors_outside_range"] = _outside(games, model)
    return table


def _outside(games: TournamentMatches, model: RatingModel) -> pd.Series:
    """Tell which players' error rates lie above those that the formula was fitted to."""
    epm, epc = error_rates(games, model.decisions)
    ranges = {"epm": _ANY, "epc": _ANY} | model.formula.ranges
    return (epm > ranges["epm"][1]) | (epc > ranges["epc"][1])


def cells_table(games: TournamentMatches) -> pd.DataFrame:
    cells = games.table.groupby(["first", "second"])
    table = pd.DataFrame(
        cells["chance"].agg(games="size", luck_adjusted="mean", luck_adjusted_se="sem")
    )
    table["wins"] = cells["first_score"].sum().astype(int)
    table = table.loc[list(permutations(games.players, 2))].reset_index()
    return table[columns("tournament/cells")]


def _fit(games: TournamentMatches) -> Json:
    """Return how well the logistic and the luck-adjusted ratings fit, and what the first seat is
    worth.
    """
    fitted = logistic.fit(games.table)
    statistics = fitted.statistics
    lucky = luck_adjusted(games)
    tallies = len(games.players) * (len(games.players) - 1)
    dof = tallies - int(statistics["parameters"])
    scale = fitted.slope * points_per_unit_of_log_odds(games.match_length)
    return {
        "match_length": games.match_length,
        "n_games": len(games.table),
        "n_players": len(games.players),
        "fibs_points_per_elo_point": of_elo(1.0, games.match_length),
        "first_seat_share": float(games.table["first_score"].mean()),
        "first_seat_fibs_points": statistics["bias"] * scale,
        "first_seat_ci_low": statistics["bias_ci_low"] * scale,
        "first_seat_ci_high": statistics["bias_ci_high"] * scale,
        "separated": statistics["separated"],
        "logistic_deviance": statistics["deviance"],
        "logistic_dof": dof,
        "logistic_p_value": _p_value(statistics["deviance"], dof),
        "luck_adjusted_chi_square": lucky.chi_square,
        "luck_adjusted_dof": lucky.dof,
        "luck_adjusted_p_value": _p_value(lucky.chi_square, lucky.dof),
    }


def _p_value(chi_square: float, dof: int) -> float | None:
    return float(stats.chi2.sf(chi_square, dof)) if dof > 0 else None
