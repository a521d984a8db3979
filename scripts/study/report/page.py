"""The report of a study as one HTML page that needs nothing besides itself, and the few lines that a study prints."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.engine.nets import committed_results
from bgrating.pages import template, words
from bgrating.pages.template import records
from bgrating.rating.formula import NoFormulaError, RatingFormula, formula_if_any, read_formula
from bgrating.rating.intervals import CONFIDENCE
from bgrating.rating.terms import MULTIPLIES
from bgrating.tables.provenance import read_provenance
from bgrating.tables.tables import read_table
from study.formula.catalogue import METHOD
from study.pages import Page
from study.published import beside_published, predictions, published_of
from study.report.figures import figures
from study.report.figures import pairs as pairs_figure

TITLES = {
    "coefficients": "The coefficients against match length",
    "agreement": "Measured against predicted",
    "comparison": "Measured here and published",
}


@dataclass(frozen=True)
class Study:
    """A study's tables and formula, as the rule files make them."""

    name: str
    points: pd.DataFrame
    coefficients: pd.DataFrame
    formula: RatingFormula
    provenance: dict[str, Any]

    @cached_property
    def published(self) -> RatingFormula:
        return published_of(self.formula)


def headline(study: Study) -> list[dict[str, str]]:
    formula, rows = study.formula, []
    ends, names = formula.intervals(), {"const": "constant", "inv": "over N"}
    for name in formula.coefficients:
        parts = [term for term in formula.terms if term.partition("_")[0] == name]
        rows.append(
            {
                "name": f"{name}(N)",
                "means": words.MEANS[name],
                "found": words.line(formula, name),
                "intervals": ", ".join(
                    f"{names.get(term.partition('_')[2], 'coefficient')}: {words.between(*ends[term])}"
                    for term in parts
                ),
                "published": words.line(study.published, name),
            }
        )
    return rows


def by_length(study: Study) -> list[dict[str, Any]]:
    rows = []
    for name in study.formula.coefficients:
        for length in study.formula.match_lengths:
            found, published = study.formula.at(name, length), study.published.coefficient(name, length)[0]
            about = {"name": name, "length": length, "published": published, "ratio": found["estimate"] / published}
            rows.append(about | found)
    return rows


def too_small(study: Study) -> str:
    """Return a sentence where a study says nothing of what chequer errors cost: the intervals hold 0."""
    chequer = study.formula.coefficients[0]
    unknown = [row for row in by_length(study) if row["name"] == chequer and not row["ci_low"] > 0]
    names = ", ".join(f"{row['name']}({row['length']})" for row in unknown)
    matches = words.number(study.formula.facts["n_matches"])
    return (
        f"{matches} matches are too few: the intervals of {names} hold 0. It shows that the steps work."
        if names
        else ""
    )


def design_points(study: Study) -> pd.DataFrame:
    """Return every design point: error rates, chance, rating difference, and what either formula says."""
    seen = predictions(study.points, study.formula)
    keys = ["match_length", "player", "opponent"]
    as_published = study.points[study.points["method"] == "luck-adjusted"]
    other = as_published[[*keys, "rating_difference"]].rename(columns={"rating_difference": "luck_adjusted"})
    return seen.assign(deviation=-seen["deviation"], status=seen["status"].replace("ok", "")).merge(other, on=keys)


def verdict(row: Any) -> str:
    if pd.isna(row["distance"]):
        return "nothing to compare"
    if row["distance"] == 0:
        return "inside the published interval"
    overlap = row["ci_low"] <= row["published_high"] and row["published_low"] <= row["ci_high"]
    return f"{words.number(row['distance'])} outside the published interval" + (
        ", intervals overlap" if overlap else ""
    )


def made(folder: Path) -> Page:
    """Return the report of a study; one that determines no formula has its points beside the published ones."""
    name, report, points = folder.name, folder / "report.html", read_table(folder / "points.csv")
    provenance = read_provenance(folder / "formula.json")
    try:
        formula = read_formula(folder / "formula.json")
    except NoFormulaError as none:
        rows, reason = beside_published(points, METHOD), none.reason
        return Page(
            [("comparison", pairs_figure(rows, CONFIDENCE))],
            lambda drawn: pairs_page(name, rows, reason, provenance, drawn),
            pairs_summary(name, rows, report),
        )
    coefficients = read_table(folder / "coefficients.csv")
    of_nets = committed_results(str(formula.facts["nets"])) / "formula.json"
    law = formula_if_any(of_nets) if of_nets.is_file() else None
    study = Study(name, points, coefficients, formula, provenance)
    return Page(
        figures(points, coefficients, formula),
        lambda drawn: page(study, drawn, law),
        summary(study, report),
    )


def page(study: Study, drawn: list[Path], law: RatingFormula | None) -> str:
    """Write the report of a study with its figures (SVG files, in the order in which they stand).

    `law` is the formula to use for errors as these nets judge them, where there is one.
    """
    formula = study.formula
    rates = [MULTIPLIES[name] for name in formula.coefficients]
    return template.page(
        "study.html.j2",
        study=study.name,
        form=formula.facts["model"].partition("-")[0],
        formula=formula,
        facts=formula.facts,
        law=law,
        words=words,
        confidence=f"{formula.confidence:.0%}",
        equation=words.equation(formula),
        lengths=words.lengths(formula.match_lengths),
        matches=words.number(study.points.loc[study.points["method"] == formula.facts["method"], "n_matches"].sum()),
        points=words.number(formula.facts["n_points"]),
        fit=formula.facts["goodness_of_fit"],
        ranges=[
            (words.NAMES[name], words.milli(low), words.milli(high)) for name, (low, high) in formula.ranges.items()
        ],
        headline=headline(study),
        too_small=too_small(study),
        by_length=by_length(study),
        design_points=design_points(study),
        pictures=template.pictures(drawn, TITLES),
        provenance=study.provenance,
        rates=[(f"{words.NAMES[rate]}, milli-EMG", rate, "milli") for rate in rates],
    )


def pairs_page(name: str, rows: pd.DataFrame, reason: str, provenance: dict[str, Any], drawn: list[Path]) -> str:
    """Write the page of a study of pairs: rows of `beside_published`, and the reason why there is no formula."""
    return template.page(
        "pairs.html.j2",
        study=name,
        reason=reason,
        matches=words.number(rows["n_matches"].sum()),
        confidence=f"{CONFIDENCE:.0%}",
        rows=rows.assign(verdict=[verdict(row) for row in records(rows)]),
        pictures=template.pictures(drawn, TITLES),
        provenance=provenance,
    )


def summary(study: Study, report: Path) -> str:
    """Write the formula found with its intervals beside the published one, and where the report is."""
    formula = study.formula
    fit = formula.facts["goodness_of_fit"]
    lines = [
        f"Rating formula of the study {study.name!r}: {words.number(formula.facts['n_matches'])} matches "
        f"at {words.lengths(formula.match_lengths)}",
        f"  {words.equation(formula)}   (R in rating points, errors in EMG a decision, N points)",
        "",
    ]
    lines += [f"  {too_small(study)}", ""] if too_small(study) else []
    rows = headline(study)
    width = max(len(row["found"]) for row in rows)
    for row in rows:
        name = row["name"]
        lines.append(f"  {name:>5} = {row['found']:<{width}}   published {row['published']}")
        lines.append(f"          {formula.confidence:.0%} intervals: {row['intervals']}")
    lines += ["", f"  at N    coefficient   found {formula.confidence:.0%} interval       published"]
    for here in by_length(study):
        interval = words.between(here["ci_low"], here["ci_high"])
        estimate, published = words.number(here["estimate"]), words.number(here["published"])
        lines.append(f"  {here['length']:>4}    {here['name']:<11} {estimate:>7} {interval:<18} {published:>9}")
    lines += [
        "",
        f"  Fit: chi-square {fit['chi_square']:.0f} on {fit['dof']} degrees of freedom (p = {fit['p_value']:.2g}).",
    ]
    if formula.facts["left_out"]:
        lines.append(f"  Left out: {'; '.join(formula.facts['left_out'])}.")
    lines.append(f"Report: {report}")
    return "\n".join(lines) + "\n"


def pairs_summary(name: str, rows: pd.DataFrame, report: Path) -> str:
    """Write the rating differences of a study that determines no formula, beside the published ones."""
    matches = words.number(rows["n_matches"].sum())
    lines = [f"Rating differences of the study {name!r}: {matches} matches, {CONFIDENCE:.0%} intervals", ""]
    for row in records(rows):
        measured, published = (
            template.cell(row, ("", column, 0, ends)).text
            for column, ends in (("rating_difference", "ci_"), ("published_difference", "published_"))
        )
        length = words.counted(row["match_length"], "points")
        lines.append(f"  {row['player']} against {row['opponent']}, {length}: {measured}")
        lines.append(f"          published {published}, {verdict(row)}")
    lines.append(f"Report: {report}")
    return "\n".join(lines) + "\n"
