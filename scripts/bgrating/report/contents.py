"""What the report says, taken from a study's tables: plain values that a template writes down."""

from dataclasses import dataclass
from typing import Any

import pandas as pd

from bgrating.figures.draw import single_lengths
from bgrating.model.catalogue import KINDS
from bgrating.model.fibs import win_probability
from bgrating.model.formula import MULTIPLIES, RatingFormula
from bgrating.model.predictions import predictions
from bgrating.report import words


@dataclass(frozen=True)
class Study:
    """A study's tables and formula, as the rule files make them."""

    name: str
    points: pd.DataFrame
    coefficients: pd.DataFrame
    formula: RatingFormula
    published: RatingFormula
    provenance: dict[str, Any]

    @property
    def method(self) -> str:
        """Estimator of the chance that the formula was fitted to."""
        return str(self.formula.facts["method"])

    @property
    def form(self) -> str:
        """Shape of the formula: linear or bilinear."""
        return str(self.formula.facts["model"]).partition("-")[0]


def headline(study: Study) -> list[dict[str, str]]:
    """Give the coefficients as functions of N, found and published, one row a coefficient."""
    formula, rows = study.formula, []
    ends = formula.intervals()
    for name in formula.coefficients:
        parts = [term for term in formula.terms if term.partition("_")[0] == name]
        rows.append(
            {
                "name": f"{name}(N)",
                "means": words.MEANS[name],
                "found": words.line(formula, name),
                "intervals": ", ".join(f"{part(term)}: {words.between(*ends[term])}" for term in parts),
                "published": words.line(study.published, name),
            }
        )
    return rows


def part(term: str) -> str:
    """Name the part of a coefficient that a term is."""
    return {"const": "constant", "inv": "over N"}.get(term.partition("_")[2], "coefficient")


def by_length(study: Study) -> list[dict[str, Any]]:
    """Give every coefficient at every match length: found, found with the count of 2003, and published."""
    formula, rows = study.formula, []
    alone = single_lengths(study.coefficients, study.form, study.method)
    for name in formula.coefficients:
        for length in formula.match_lengths:
            value, error = formula.coefficient(name, length)
            half = formula.half_width(error)
            theirs = study.published.coefficient(name, length)[0]
            here = alone[(alone["term"] == name) & (alone["match_length"] == length)]
            own = {str(row["epc_definition"]): row for row in here.to_dict("records")}
            rows.append(
                {
                    "name": name,
                    "length": length,
                    "found": words.number(value),
                    "interval": words.between(value - half, value + half),
                    "published": words.number(theirs),
                    "ratio": words.number(value / theirs, 2),
                    "alone": estimate(own.get("today")),
                    "alone_2003": estimate(own.get("2003")),
                }
            )
    return rows


def estimate(row: Any) -> str:
    """Write an estimate of the coefficients table with its interval; a dash where there is none."""
    if row is None or pd.isna(row["estimate"]):
        return words.ABSENT
    return f"{words.number(row['estimate'])} {words.between(row['ci_low'], row['ci_high'])}"


def example(study: Study) -> dict[str, str]:
    """Work one case through: the middle match length, and error rates in the middle of those measured."""
    formula = study.formula
    length = formula.match_lengths[len(formula.match_lengths) // 2]
    rates = {MULTIPLIES[name]: _middle(formula.ranges[MULTIPLIES[name]]) for name in formula.coefficients}
    value, error = formula.rating_difference(length, **rates)
    half = formula.half_width(error)
    theirs = study.published.rating_difference(length, **rates)[0]
    steps = [
        f"{words.number(formula.coefficient(name, length)[0])} × {rates[MULTIPLIES[name]]:g}"
        for name in formula.coefficients
    ]
    return {
        "length": str(length),
        "rates": " and ".join(
            f"{rates[MULTIPLIES[name]] * 1000:g} milli-EMG of {words.NAMES[MULTIPLIES[name]]}"
            for name in formula.coefficients
        ),
        "steps": " + ".join(steps),
        "rating": words.number(value),
        "interval": words.between(value - half, value + half),
        "chance": words.number(100 * float(win_probability(value, length)), 1),
        "published": words.number(theirs),
        "published_chance": words.number(100 * float(win_probability(theirs, length)), 1),
    }


def _middle(ends: tuple[float, float]) -> float:
    """Give half the greatest rate measured, to one significant digit."""
    return float(f"{ends[1] / 2:.1g}")


def design_points(study: Study) -> list[dict[str, Any]]:
    """Give every design point: error rates, chance, rating difference, and what either formula says."""
    seen = predictions(study.points, study.formula, study.published, study.method)
    as_published = study.points[study.points["method"] == "luck-adjusted"]
    other = as_published.set_index(["match_length", "player", "opponent"])["rating_difference"]
    rates = [MULTIPLIES[name] for name in study.formula.coefficients]
    return [
        {
            "length": str(row["match_length"]),
            "player": row["player"],
            "opponent": row["opponent"],
            "matches": words.number(row["n_matches"]),
            "rates": [words.milli(row[name]) for name in rates],
            "chance": words.number(100 * row["p_win"], 1),
            "rating": words.number(row["rating_difference"]),
            "interval": words.between(row["ci_low"], row["ci_high"]),
            "luck_adjusted": words.number(other.loc[(row["match_length"], row["player"], row["opponent"])]),
            "predicted": words.number(row["predicted"]),
            "deviation": words.number(-row["deviation"], 1),
            "published": words.number(row["published"]),
            "status": "" if row["status"] == "ok" else row["status"],
        }
        for row in seen.to_dict("records")
    ]


def all_fits(study: Study) -> list[dict[str, Any]]:
    """Give the lines of every fit of the study's form: one row a fit, method and EPC definition."""
    table = study.coefficients
    mine = table[table["model"].str.startswith(f"{study.form}-") & table["match_length"].isna()]
    rows = []
    for (model, method, epc), group in mine.groupby(["model", "method", "epc_definition"], sort=False):
        by_term = {str(row["term"]): row for row in group.to_dict("records")}
        first = group.iloc[0]
        rows.append(
            {
                "model": str(model),
                "words": KINDS[str(model).partition("-")[2]].words,
                "method": method,
                "epc": epc,
                "terms": [(term, estimate(row)) for term, row in by_term.items()],
                "fit": f"{first['chi_square']:.0f} on {first['chi_square_dof']:.0f}"
                if pd.notna(first["chi_square"])
                else "",
                "recommended": (model, method, epc)
                == (study.formula.facts["model"], study.method, study.formula.epc_definition),
                "status": "" if first["status"] == "ok" else str(first["status"]),
            }
        )
    return rows


def provenance_rows(facts: dict[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    """Flatten provenance, whatever its keys, to names and values."""
    rows = []
    for key, value in sorted(facts.items()):
        name = f"{prefix}{key}"
        if isinstance(value, dict):
            rows += provenance_rows(value, f"{name}: ")
        elif isinstance(value, list):
            rows.append((name, ", ".join(map(str, value))))
        else:
            rows.append((name, str(value)))
    return rows
