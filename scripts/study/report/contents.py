"""The contents of the report, taken from a study's tables: plain values for a template."""

from dataclasses import dataclass
from typing import Any

import pandas as pd

from bgrating.pages import words
from bgrating.pages.template import records
from bgrating.rating.fibs import win_probability
from bgrating.rating.formula import MULTIPLIES, RatingFormula
from study.formula.catalogue import KINDS
from study.published import predictions
from study.report.figures import single_lengths


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
        return str(self.formula.facts["method"])

    @property
    def form(self) -> str:
        """Shape of the formula: linear or bilinear."""
        return str(self.formula.facts["model"]).partition("-")[0]


@dataclass(frozen=True)
class Pairs:
    """A study of pairs of players; `rows` are those of `beside_published`, `reason` says why no formula."""

    name: str
    rows: pd.DataFrame
    reason: str
    provenance: dict[str, Any]


def headline(study: Study) -> list[dict[str, str]]:
    """Return the coefficients as functions of N, found and published, one row per coefficient."""
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
    return {"const": "constant", "inv": "over N"}.get(term.partition("_")[2], "coefficient")


def by_length(study: Study) -> list[dict[str, Any]]:
    """Return every coefficient at every match length: found, found with the count of 2003, and published."""
    formula, rows = study.formula, []
    alone = single_lengths(study.coefficients, study.form, study.method)
    for name in formula.coefficients:
        for length in formula.match_lengths:
            row: dict[str, Any] = {"name": name, "length": length, **formula.at(name, length)}
            row["published"] = study.published.coefficient(name, length)[0]
            row["ratio"] = row["estimate"] / row["published"]
            here = alone[(alone["term"] == name) & (alone["match_length"] == length)]
            for column, definition in (("alone", "today"), ("alone_2003", "2003")):
                fits = records(here[here["epc_definition"] == definition])
                fitted = fits[0] if fits else dict.fromkeys(("estimate", "ci_low", "ci_high"))
                row |= {
                    column: fitted["estimate"],
                    f"{column}_low": fitted["ci_low"],
                    f"{column}_high": fitted["ci_high"],
                }
            rows.append(row)
    return rows


def example(study: Study) -> dict[str, str]:
    """Work one case through: the middle match length, and half the greatest error rates measured, to one digit."""
    formula = study.formula
    length = formula.match_lengths[len(formula.match_lengths) // 2]
    multiplied = {name: MULTIPLIES[name] for name in formula.coefficients}
    rates = {rate: float(f"{formula.ranges[rate][1] / 2:.1g}") for rate in multiplied.values()}
    value, error = formula.rating_difference(length, **rates)
    half = formula.half_width(error)
    published = study.published.rating_difference(length, **rates)[0]
    steps = [
        f"{words.number(formula.coefficient(name, length)[0])} × {rates[rate]:g}" for name, rate in multiplied.items()
    ]
    return {
        "length": str(length),
        "rates": " and ".join(f"{rates[rate] * 1000:g} milli-EMG of {words.NAMES[rate]}" for rate in rates),
        "steps": " + ".join(steps),
        "rating": words.number(value),
        "interval": words.between(value - half, value + half),
        "chance": words.number(100 * float(win_probability(value, length)), 1),
        "published": words.number(published),
        "published_chance": words.number(100 * float(win_probability(published, length)), 1),
    }


def design_points(study: Study) -> pd.DataFrame:
    """Return every design point: error rates, chance, rating difference, and what either formula says."""
    seen = predictions(study.points, study.formula, study.published, study.method)
    keys = ["match_length", "player", "opponent"]
    as_published = study.points[study.points["method"] == "luck-adjusted"]
    other = as_published[[*keys, "rating_difference"]].rename(columns={"rating_difference": "luck_adjusted"})
    return seen.assign(deviation=-seen["deviation"], status=seen["status"].replace("ok", "")).merge(other, on=keys)


def all_fits(study: Study) -> list[dict[str, Any]]:
    """Return the lines of every fit of the study's form: one row per fit, method and EPC definition."""
    table = study.coefficients
    fits = table[table["model"].str.startswith(f"{study.form}-") & table["match_length"].isna()]
    chosen = (study.formula.facts["model"], study.method, study.formula.epc_definition)
    rows = []
    for (model, method, epc), group in fits.groupby(["model", "method", "epc_definition"], sort=False):
        first = group.iloc[0]
        recommended = (model, method, epc) == chosen
        shape = KINDS[str(model).partition("-")[2]].words + (" (the formula above)" if recommended else "")
        row: dict[str, Any] = {"words": shape, "method": method, "epc_definition": epc}
        has_fit = pd.notna(first["chi_square"])
        row["fit"] = f"{first['chi_square']:.0f} on {first['chi_square_dof']:.0f}" if has_fit else ""
        row |= {"recommended": recommended, "status": "" if first["status"] == "ok" else str(first["status"])}
        for term in records(group):
            name = term["term"]
            row |= {name: term["estimate"], f"{name}_low": term["ci_low"], f"{name}_high": term["ci_high"]}
        rows.append(row)
    return rows


def verdict(row: Any) -> str:
    """Say where our rating difference lies beside the published interval."""
    if pd.isna(row["distance"]):
        return "nothing to compare"
    if row["distance"] == 0:
        return "inside the published interval"
    overlap = row["ci_low"] <= row["published_high"] and row["published_low"] <= row["ci_high"]
    return f"{words.number(row['distance'])} outside the published interval" + (
        ", intervals overlap" if overlap else ""
    )
