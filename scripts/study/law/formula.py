"""The law as a formula that people are rated by: every study of an engine, every length, and what holds outside.

R = a2(N) EPM + b x (cube error per unforced move), a2(N) = A + B / N, with a coefficient of its own at 1 point, fitted
to winning chances over the design points of all studies that it predicts below LIMIT (docs/methods.md tells how the
limit was chosen). Where one player is weaker by more than that, the product of both rates counts too:
R = a2(N) EPM + b c + d sqrt(N) EPM c, fitted to all points at once.

If the product is the truth, the law fitted below LIMIT is a little too flat for small differences, which people have:
its own intervals hold the slope there in 40 to 92 % of simulated studies. So their covariance has SHARE of the square
of that bias added. All of the bias hangs on one coefficient, that of the product, so it is known much better than the
difference of two fits to the same noisy chances. With SHARE a normal interval covers 90 % for a bias of 1.5 standard
errors, 89 to 92 % for one of 0 to 2 (quantiles of |N(bias, 1)|: Armstrong and Kolesar, Econometrica 86 (2018) 655);
`coverage` counts what comes of it under both truths. Whatever reads formula.json takes this covariance, so the
intervals of persons' ratings and of the calculator allow for the product too.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count

import numpy as np
import pandas as pd
from scipy import stats

from bgrating.rating.fibs import Floats, win_probability
from bgrating.rating.formula import RatingFormula
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.rating.rates import COUNTS
from bgrating.rating.shapes import SHAPES
from bgrating.tables.dictionary import columns
from study.comparison.studies import Played, pooled
from study.formula.points import Observations
from study.formula.recommended import formula_of
from study.formula.regressions import Fit, UndeterminedError, fit_chances
from study.law import CUTS, LIMIT

SHAPE = SHAPES["per-unforced-move-even"]
TERMS = ("a2_const", "a2_inv", "b_const")
ONE, PRODUCT = "a2_one", "c_root"
SHARE = 0.83
CUT_COLUMNS = columns("law/cuts")
LENGTHS = range(1, 26)
LENGTH_COLUMNS, COVERAGE_COLUMNS = columns("law/lengths"), columns("law/coverage")


@dataclass(frozen=True)
class Fitted:
    """A fit inside its domain, the points that it was fitted to, those outside, and after how many rounds."""

    fit: Fit
    inside: Observations
    outside: Observations
    rounds: int


def design(points: Observations, terms: Sequence[str]) -> Floats:
    """Return what multiplies each term at design points: points by terms."""
    epm, cube = points.predictors.T
    length = points.match_length.astype(float)
    line = np.where((length == 1) & (ONE in terms), 0.0, 1.0)
    by_term = {
        "a2_const": epm * line, "a2_inv": epm * line / length, ONE: epm * (length == 1), "b_const": cube,
        PRODUCT: epm * cube * np.sqrt(length),
    }  # fmt: skip
    return np.column_stack([by_term[term] for term in terms])


def terms_for(points: Observations, *, product: bool = False) -> tuple[str, ...]:
    """Return the terms that points of these lengths determine."""
    one = (ONE,) if (points.match_length == 1).any() else ()
    return (*TERMS[:2], *one, TERMS[2], *((PRODUCT,) if product else ()))


def fit_below(
    points: Observations,
    limit: float,
    terms_of: Callable[[Observations], tuple[str, ...]] = terms_for,
    multiplied: Callable[[Observations, Sequence[str]], Floats] = design,
) -> Fitted:
    """Fit the law to the points that it predicts below a limit, again until the set stays the same.

    Another shape has its own terms for the points inside, and its own `multiplied`: what multiplies them at points. A
    point on the limit can come in and go out for ever: where a set comes again, points are only taken out from then on.
    Raises UndeterminedError where there are fewer than two lengths above 1 point.
    """
    inside = np.ones(len(points), dtype=bool)
    seen: set[bytes] = set()
    for rounds in count(1):
        kept = points.select(inside)
        if (np.unique(kept.match_length) > 1).sum() < 2:
            break
        terms = terms_of(kept)
        fit = fit_chances(kept, multiplied(kept, terms), terms)
        now = np.asarray(multiplied(points, terms) @ fit.estimate < limit)
        if inside.tobytes() in seen:
            now &= inside
        if np.array_equal(now, inside):
            return Fitted(fit, kept, points.select(~inside), rounds)
        seen.add(inside.tobytes())
        inside = now
    raise UndeterminedError("the law needs matches of two lengths above 1 point at least")


def fit_product(points: Observations) -> Fit:
    """Fit the law with the product of both rates to all points."""
    terms = terms_for(points, product=True)
    return fit_chances(points, design(points, terms), terms)


def allowing_for_product(law: Fitted, product: Fit) -> Fit:
    """Return the law's fit with a covariance that allows for the form with the product as the truth.

    SHARE of the square of the law's bias is added: its fit to the chances that the product form gives at the same
    points, without noise, less the product form's own coefficients. At 1 point there is no cube, so no bias.
    """
    chance = win_probability(design(law.inside, product.terms) @ product.estimate, law.inside.match_length)
    terms, truth = law.fit.terms, dict(zip(product.terms, product.estimate, strict=True))
    noiseless = fit_chances(replace(law.inside, p=chance), design(law.inside, terms), terms)
    pairs = zip(terms, noiseless.estimate, strict=True)
    bias = np.array([0.0 if term == ONE else value - truth[term] for term, value in pairs])
    return replace(law.fit, covariance=law.fit.covariance + SHARE * np.outer(bias, bias))


def law_points(studies: Sequence[Played]) -> Observations:
    """Return the design points of studies as the law sees them."""
    return pooled(studies, SHAPE)


def formulas(
    studies: Sequence[Played], nets: str, limit: float = LIMIT
) -> tuple[RatingFormula, RatingFormula, RatingFormula]:
    """Return the law inside its domain, the form with the product for outside it, and the law by its fit alone.

    The last has the first's coefficients, with intervals that do not allow for the product. Raises UndeterminedError.
    """
    points = law_points(studies)
    law, product = fit_below(points, limit), fit_product(points)
    about = {"study": "law", "studies": [study.name for study in studies], "nets": nets, "limit": limit}
    counted = {"count": COUNTS["moves"].words}
    wide, n_outside = allowing_for_product(law, product), {"n_outside": len(law.outside)}
    inside = formula_of(wide, "moves", law.inside.spans, about | n_outside | counted)
    inside.facts["words"] = f"the law, fitted where the predicted difference is below {limit:.0f} points"
    outside = formula_of(product, "moves", points.spans, about | counted)
    outside.facts["words"] = "the law with the product of both rates, fitted to all design points"
    return inside, outside, replace(inside, covariance=law.fit.covariance)


def cuts(points: Observations) -> pd.DataFrame:
    """Return how well the law fits below each limit of CUTS, and with the product of all points (CUT_COLUMNS)."""
    rows = []
    for limit in (*CUTS, np.inf):
        for form in ("law", "product") if limit == np.inf else ("law",):
            try:
                fit = fit_product(points) if form == "product" else fit_below(points, limit).fit
            except UndeterminedError:
                continue
            place = fit.terms.index("b_const")
            b, half = float(fit.estimate[place]), quantile(CONFIDENCE, float(fit.dof[0])) * float(fit.std_error[place])
            p_value = float(stats.chi2.sf(fit.chi_square, fit.chi_square_dof))
            about = (limit, form, fit.chi_square, fit.chi_square_dof, p_value, fit.n_points, b, b - half, b + half)
            rows.append(dict(zip(CUT_COLUMNS, about, strict=True)))
    return pd.DataFrame(rows, columns=CUT_COLUMNS)


def lengths(formula: RatingFormula, alone: RatingFormula) -> pd.DataFrame:
    """Return a2 and b at every match length of LENGTHS, and what the figure is based on (LENGTH_COLUMNS).

    `alone` is the formula by its fit alone: half the width of its interval stands beside the one that allows for more.
    """
    rows = [
        {
            "match_length": length, "term": term, **formula.at(term, length),
            "fit_half_width": alone.half_width(alone.at(term, length)["std_error"]), "confidence": formula.confidence,
            "based_on": formula.basis(length),
        }
        for term in formula.coefficients
        for length in LENGTHS
        if term == "a2" or length > 1  # a match to 1 point has no cube
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=LENGTH_COLUMNS)


def coverage(points: Observations, limit: float, studies: int, seed: int) -> pd.DataFrame:
    """Count how often the law's intervals hold the slope at small mismatch, where the product form is the truth.

    Each simulated study has the chances that the product form fitted to these points gives, with their errors; the law
    is fitted inside its domain anew. The slope at small mismatch is what a person needs: a2(N) and b of the product
    form, as the product vanishes there. World `law`: the law itself is the truth.
    """
    rng = np.random.default_rng(seed)
    product, law = fit_product(points), fit_below(points, limit).fit
    asked, rows = _asked(points), []
    for world, fit in (("product", product), ("law", law)):
        terms = fit.terms
        chance = win_probability(design(points, terms) @ fit.estimate, points.match_length)
        truth = dict(zip(terms, fit.estimate, strict=True))
        wanted = {name: sum(row.get(term, 0.0) * truth[term] for term in terms) for name, row in asked.items()}
        answers: dict[str, list[tuple[float, ...]]] = {name: [] for name in asked}
        for _ in range(studies):
            seen = replace(points, p=chance + rng.normal(0.0, points.p_se))
            again = fit_below(seen, limit)
            wide = allowing_for_product(again, fit_product(seen))
            for name, row in asked.items():
                vector = np.array([row.get(term, 0.0) for term in wide.terms])
                off, times = float(vector @ wide.estimate) - wanted[name], quantile(CONFIDENCE, float(wide.dof[0]))
                halves = (times * np.sqrt(vector @ one.covariance @ vector) for one in (wide, again.fit))
                answers[name].append((off, *(float(abs(off) <= half) for half in halves)))
        for name, answered in answers.items():
            offs, held, held_by_fit = np.array(answered).T
            ends = stats.binomtest(int(held.sum()), studies).proportion_ci(0.95, "wilson")
            about = (
                world, name, limit, held.mean(), ends.low, ends.high, held_by_fit.mean(), wanted[name], offs.mean(),
                offs.std(ddof=1), studies,
            )  # fmt: skip
            rows.append(dict(zip(COVERAGE_COLUMNS, about, strict=True)))
    return pd.DataFrame(rows, columns=COVERAGE_COLUMNS)


def _asked(points: Observations) -> dict[str, dict[str, float]]:
    """Return the quantities whose coverage is counted, as what multiplies each term."""
    found = {f"a2({n})": {"a2_const": 1.0, "a2_inv": 1.0 / n} for n in points.lengths if n > 1}
    if 1 in points.lengths:
        found["a2(1)"] = {ONE: 1.0}
    return found | {"b": {"b_const": 1.0}}
