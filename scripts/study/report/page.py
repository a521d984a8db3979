"""The report of a study as one self-contained HTML page, and the few lines that a study prints."""

from pathlib import Path

import pandas as pd

from bgmatch.records import Json, Record
from bgrating.pages import formatting, template
from bgrating.rating.formula import RatingFormula, formula_if_any, read_formula
from bgrating.rating.formula_reader import NoFormulaError
from bgrating.rating.intervals import CONFIDENCE
from bgrating.rating.result_files import results_of
from bgrating.rating.terms import MULTIPLIES
from bgrating.tables.provenance import read_provenance
from bgrating.tables.table_files import read_table
from study.beside_2003 import beside_published, predictions
from study.formula.catalogue import EPC_OF_2003
from study.pages import Page
from study.report.figures import lines, save

TITLES = {
    "coefficients": "The coefficients against match length",
}


def make(folder: Path) -> Page:
    """Draw the figure of a study into its folder, and return the report.

    Without a formula it compares the points with the published ones.
    """
    points = read_table(folder / "points.csv")
    report = folder / "report.html"
    provenance = read_provenance(folder / "formula.json")
    try:
        formula = read_formula(folder / "formula.json")
    except NoFormulaError as none:
        return of_pairs(beside_published(points), none.reason, report, provenance)
    coefficients = read_table(folder / "coefficients.csv")
    shipped = results_of(str(formula.metadata["nets"])) / "formula.json"
    law = formula_if_any(shipped) if shipped.is_file() else None
    variables = contents(folder.name, points, coefficients, formula, law)
    figure = save(lines(coefficients, formula), folder / "figures" / "coefficients.svg")
    return Page(html(variables, figure, provenance), summary(variables, report))


def contents(
    study: str,
    points: pd.DataFrame,
    coefficients: pd.DataFrame,
    formula: RatingFormula,
    law: RatingFormula | None,
) -> Json:
    """Return the variables of the templates of page and summary, for a study with a formula.

    `law` is the formula that the engine's version ships, if there is one.
    """
    return {
        "study": study,
        "formula": formula,
        "law": law,
        "formatting": formatting,
        "beside_2003": beside_2003(coefficients),
        "by_length": by_length(formula),
        "points": points,
    }


def by_length(formula: RatingFormula) -> list[Json]:
    return [
        {"name": name, "length": length, **formula.at(name, length)}
        for name in formula.coefficients
        for length in formula.match_lengths
    ]


def beside_2003(coefficients: pd.DataFrame) -> pd.DataFrame:
    """Return the coefficients of each match length by the method of 2003, with their share of the
    published ones.
    """
    is_of_2003 = coefficients["model"].str.endswith("-ols") & (
        coefficients["epc_definition"] == EPC_OF_2003
    )
    rows = coefficients[is_of_2003].dropna(subset="estimate")
    return rows.assign(ratio=rows["estimate"] / rows["value_2003"])


def html(variables: Record, figure: Path, provenance: Record) -> str:
    """Return the page of a study, from its contents and its figure."""
    formula = variables["formula"]
    fitted = predictions(variables["points"], formula)
    rates = [MULTIPLIES[name] for name in formula.coefficients]
    return template.page(
        "study.html.j2",
        **variables,
        # In rating terms a chance below the predicted one is a difference above it.
        design_points=fitted.assign(deviation=-fitted["deviation"]),
        rates=[(f"{formatting.NAMES[rate]}, milli-EMG", rate, "milli") for rate in rates],
        pictures=template.pictures([figure], TITLES),
        provenance=provenance,
    )


def summary(variables: Record, report: Path) -> str:
    """Return the summary.

    It has the formula found, with its intervals, beside the published one, and the report's path.
    """
    return template.page("study.txt.j2", **variables, report=report)


def of_pairs(rows: pd.DataFrame, reason: str, report: Path, provenance: Record) -> Page:
    """Return the page of a study without a formula.

    It has rows of `beside_published`, and the reason why there is no formula.
    """
    study = report.parent.name
    matches = formatting.number(rows["n_matches"].sum())
    text = template.page(
        "pairs.html.j2",
        study=study,
        reason=reason,
        matches=matches,
        confidence=f"{100 * CONFIDENCE:.0f} %",
        rows=rows,
        provenance=provenance,
    )
    summary = (
        f"The study {study!r} has no formula: {reason}. It has {matches} matches.\nReport:"
        f" {report}\n"
    )
    return Page(text, summary)
