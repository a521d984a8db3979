"""Every table of the statistics, by name; one that needs what has not been played yet is written empty."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd

from bgrating.engine import levels
from bgrating.engine.nets import nets_of
from bgrating.play import designs
from bgrating.rating.formula import RatingFormula
from study.comparison.studies import Played, of_matches
from study.evidence import efficiency
from study.evidence.choice import chosen, recommendation
from study.evidence.contest import contest, scalings
from study.formula.regressions import UndeterminedError
from study.plan import allocation
from study.plan.costs import LUCK
from study.plan.points import PLAYED_COLUMNS, plan_points, played


def tables(
    study: Played,
    costs: pd.DataFrame,
    parts: Mapping[str, pd.DataFrame] | None,
    others: Mapping[str, pd.DataFrame],
) -> tuple[dict[str, pd.DataFrame], RatingFormula | None]:
    """Make every table from a study of cells, measured costs and the three parts of the planned study (None: unplayed).

    `others` are match tables of other studies by name, which the contest of formulas is judged on. The second answer is
    the recommended formula; None where the study does not determine one.
    """
    whole = whole_lengths(study)
    elsewhere = other_studies(others, sorted(int(n) for n in whole.matches["match_length"].unique()))
    judged = contest(whole, elsewhere)
    name, _ = chosen(judged)
    made = {
        "estimators": efficiency.estimator_table(study.matches),
        "efficiency": efficiency.efficiency(study.coefficients),
        "contest": judged,
        "scalings": scalings(study, name),
        "errors_in_variables": efficiency.errors_in_variables(study.rows),
        "plan_cells": plan_cells(study.matches, costs),
        "efficient": pd.DataFrame(columns=PLAYED_COLUMNS),
    }
    if parts is not None:
        wins = parts["plain"]
        held = study.matches[study.matches["match_length"].isin(wins["match_length"].unique())]
        points = plan_points(held, costs)
        made["efficient"] = played(parts["luck"], parts["errors"], wins, held, points)
    about = {"study": study.name, "nets": nets_of(study.facts["engine"], study.name)}
    try:
        return made, recommendation(study.points, judged, about)
    except UndeterminedError:
        return made, None


def whole_lengths(study: Played) -> Played:
    """Return a study without the match lengths of which planned matches are missing.

    A contest over what happens to have been played by now would be one of many looks, at cells of unequal weight.
    """
    design = designs.design(study.name)
    held = study.matches.groupby("match_length").size()
    whole = [
        length
        for length in design.match_lengths()
        if held.get(length, 0) == sum(point.matches for point in design.points_of(length))
    ]
    matches, points = (table[table["match_length"].isin(whole)] for table in (study.matches, study.points))
    return replace(study, matches=matches.reset_index(drop=True), points=points.reset_index(drop=True))


def other_studies(tables: Mapping[str, pd.DataFrame], lengths: Sequence[int]) -> list[Played]:
    """Return studies of match tables by name: those matches at lengths between the least and greatest of `lengths`.

    No formula of the study of cells was fitted to them. They have other players, on both sides: pairs of noisy players,
    players who err by the cube alone. The players of the study of cells all meet a perfect one; what fits those by
    chance need not carry over.


    Players who differ from the noisy ones of the study of cells by more than their noise (deeper search, dilution) are
    left out with their matches: their errors, as 0-ply analysis sees them, are of another kind.
    """
    made = []
    for name, table in tables.items():
        near = table[table["match_length"].between(min(lengths, default=0), max(lengths, default=0))]
        alike = [one for one in {*near["player"].unique(), *near["opponent"].unique()} if _noise_alone(str(one))]
        own = near[near["player"].isin(alike) & near["opponent"].isin(alike)].reset_index(drop=True)
        if len(own):
            made.append(of_matches(name, own))
    return made


def _noise_alone(name: str) -> bool:
    player = levels.player(name)
    return not player.dilution and player.chequerplay.plies == 0 and player.cubedecision.plies == 0


def plan_cells(matches: pd.DataFrame, costs: pd.DataFrame) -> pd.DataFrame:
    """Plan the cells of a study with the CPU that the published design takes: equally many matches, all with luck."""
    measured = set(costs[costs["task"] == LUCK]["match_length"])
    points = plan_points(matches[matches["match_length"].isin(measured)], costs)
    budget = sum(allocation.PUBLISHED_MATCHES * point.costs["luck"] for point in points)
    return allocation.for_budget(points, budget)
