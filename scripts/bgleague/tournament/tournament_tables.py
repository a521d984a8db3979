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
from bgleague.tournament.played import TournamentMatches, played
from bgleague.tournament.systems import (
    REPLICATES,
    SYSTEMS,
    error_rates,
    luck_adjusted,
    points_per_unit_of_log_odds,
    rated,
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
    facts: Record,
    replicates: int = REPLICATES,
) -> None:
    """Rate the matches of a tournament and write its tables, fit.json and outcomes.png, each with
    its provenance.

    Raises TournamentError for cells without matches.
    """
    seed = tournament.design.seed
    model = choose("fitted", engine_version)
    games = played(matches, tournament.levels, tournament.match_length, seed)
    ratings, replicated = rated(games, model, seed, replicates)
    about = {**facts, "seed": seed, "replicates": replicates, "confidence": CONFIDENCE}
    about |= {"errors_fitted": model.description}
    order = ratings[list(SYSTEMS)].mean(axis=1).sort_values(ascending=False, kind="stable").index
    tables = {
        "tournament": _tournament(games, ratings, replicated, model).loc[order].reset_index(),
        "cells": cells_table(games),
        "seats": first_mover(games.table),
    }
    write_all(tables, folder, "tournament", **about)
    write_json(_facts(games), folder / "fit.json", **about)
    rising = ratings["eloworld"].sort_values(ascending=False, kind="stable")[::-1]
    picture(pair_counts(games.table, list(rising.index)), rising.tolist()).write(
        folder / "outcomes.png", **about
    )


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
    for place, column in enumerate(ratings):
        table[column] = ratings[column]
        table[f"{column}_ci_low"] = low[:, place]
        table[f"{column}_ci_high"] = high[:, place]
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


def _facts(games: TournamentMatches) -> Json:
    unit = points_per_unit_of_log_odds(games.match_length)
    fitted = logistic.fit(games.table)
    lucky = luck_adjusted(games)
    tallies = len(games.players) * (len(games.players) - 1)
    dof = tallies - int(fitted.facts["parameters"])
    scale = fitted.slope * unit
    return {
        "match_length": games.match_length,
        "n_games": len(games.table),
        "n_players": len(games.players),
        "fibs_points_per_elo_point": of_elo(1.0, games.match_length),
        "first_seat_share": float(games.table["first_score"].mean()),
        "first_seat_fibs_points": fitted.facts["bias"] * scale,
        "first_seat_ci_low": fitted.facts["bias_ci_low"] * scale,
        "first_seat_ci_high": fitted.facts["bias_ci_high"] * scale,
        "separated": fitted.facts["separated"],
        "logistic_deviance": fitted.facts["deviance"],
        "logistic_dof": dof,
        "logistic_p_value": _p_value(fitted.facts["deviance"], dof),
        "luck_adjusted_chi_square": lucky.chi_square,
        "luck_adjusted_dof": lucky.dof,
        "luck_adjusted_p_value": _p_value(lucky.chi_square, lucky.dof),
    }


def _p_value(chi_square: float, dof: int) -> float | None:
    return float(stats.chi2.sf(chi_square, dof)) if dof > 0 else None
