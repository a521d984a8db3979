"""A small simulated study as the report's figures take it."""

import numpy as np

import simulated
from bgrating.rating.published import published_formula
from study.formula.catalogue import coefficients, fit_all, recommended
from study.formula.points import points

KINDS = ["joint-probability", "joint-probability-clustered", "probability", "ols"]


def study(lengths=(3, 7), players=None, matches=40, change=None):
    table = simulated.study(np.random.default_rng(1), lengths=lengths, matches=matches, players=players)
    reduced = points(table if change is None else change(table))
    results = list(fit_all(reduced, KINDS))
    formula = recommended(results, reduced, {"study": "test"})
    form = formula.facts["model"].partition("-")[0]
    return reduced, coefficients(results), formula, published_formula(form)
