"""What the terms of a formula come to: the only evaluator, for numbers and for arrays, with Python alone.

A term is a coefficient and its part of match length N: `a2_const` and `a2_inv` make a2(N) = const + inv / N. `a2_root`
divides that by 1 + root × sqrt(N / 7). If there is an `a2_one`, that alone is a2(1). A term without a part holds at the
single match length that was fitted.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

PARTS: dict[str, Callable[[Any], Any]] = {"const": lambda length: 1.0, "inv": lambda length: 1 / length}
PARTS |= {"": PARTS["const"], "one": PARTS["const"]}
"""The functions of match length that make up a coefficient."""
ROOT = "root"
"""The part that divides the others, so that the rating is not linear in it."""
MULTIPLIES = {"a": "depd", "a2": "epm", "b": "epc", "pr": "pr"}
"""The error rate that each coefficient multiplies."""


def multipliers(terms: Sequence[str], estimate: Sequence[float], length: Any, rates: Mapping[str, Any]) -> list[Any]:
    """Return how the rating moves with each term at match lengths, for error rates by name (those of MULTIPLIES).

    Lengths and rates are numbers or arrays that go together. Times `linear` they add up to rating points.
    """
    named = [term.partition("_")[::2] for term in terms]
    alone = {name for name, part in named if part == "one"}
    values = dict(zip(terms, estimate, strict=True))
    found = []
    for name, part in named:
        root = (length / 7) ** 0.5
        over = 1 + values.get(f"{name}_{ROOT}", 0.0) * root if part != "one" else 1.0
        if part == ROOT:
            above = sum(values[f"{name}_{other}"] * PARTS[other](length) for one, other in named
                        if one == name and other in ("const", "inv"))  # fmt: skip
            share = -above * root / over**2
        else:
            share = PARTS[part](length) / over
        found.append(rates[MULTIPLIES[name]] * share * ((length == 1) == (part == "one") if name in alone else 1.0))
    return found


def linear(terms: Sequence[str], values: Sequence[float]) -> list[float]:
    """Return the values of terms with 0 for a root: what `multipliers` are multiplied by."""
    return [0.0 if term.endswith(f"_{ROOT}") else value for term, value in zip(terms, values, strict=True)]


def total(factors: Sequence[Any], values: Sequence[float]) -> Any:
    """Return the sum of products: rating points for multipliers and `linear` coefficients."""
    return sum(factor * value for factor, value in zip(factors, values, strict=True))


def variance(factors: Sequence[Any], covariance: Sequence[Sequence[float]]) -> Any:
    return total(factors, [total(factors, row) for row in covariance])


def at_depth(
    terms: Sequence[str], estimate: Sequence[float], covariance: Sequence[Sequence[float]],
    factors: Mapping[str, tuple[float, float]],
) -> tuple[list[float], list[list[float]]]:  # fmt: skip
    """Return coefficients fitted to 0-ply errors, and their covariance, for errors that a deeper analysis finds.

    `factors` are what the analysis multiplies each rate by (epm, epc), and their standard errors, which the covariance
    holds too (ratios linearised). A root multiplies no rate, so it stays.
    """
    rates = ["" if term.endswith(f"_{ROOT}") else MULTIPLIES[term.partition("_")[0]] for term in terms]
    known = {**factors, "": (1.0, 0.0)}
    deeper = [value / known[rate][0] for value, rate in zip(estimate, rates, strict=True)]
    moved = [value * known[rate][1] / known[rate][0] for value, rate in zip(deeper, rates, strict=True)]
    return deeper, [
        [
            covariance[i][j] / (known[rate][0] * known[other][0]) + (moved[i] * moved[j] if rate == other else 0.0)
            for j, other in enumerate(rates)
        ]
        for i, rate in enumerate(rates)
    ]
