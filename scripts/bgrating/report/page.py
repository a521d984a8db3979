"""The report as one HTML page that needs nothing besides itself."""

import base64
from pathlib import Path

import jinja2

from bgrating.report import contents, pairs, words
from bgrating.report.contents import Study
from bgrating.report.pairs import Pairs

TEMPLATES = Path(__file__).resolve().parents[3] / "report"

TITLES = {
    "coefficients": "The coefficients against match length",
    "agreement": "Measured against predicted",
    "comparison": "Measured here and published",
    "rating-all": "Rating difference against error rate, all match lengths",
    "rating": "Rating difference against error rates",
    "cells": "Every cell, measured and predicted",
    "moved": "Found over published",
    "cube-only": "Cube errors alone: rating difference by three counts of the same error",
    "rivals": "Rival shapes, judged at what they were not fitted to",
    "out-of-sample": "Pairs that no formula was fitted to",
    "variances": "Variance of one match, by estimator",
    "efficiency": "Standard errors beside the published method's",
    "contest": "Rival formulas at what they were not fitted to, in rating points",
    "plan": "Half-widths of R for the same CPU, planned and as published",
    "efficient": "The planned study, played",
    "coverage": "How often intervals hold the truth",
    "surface": "The fitted surface: rating difference over match length and error rate",
}


def picture(svg: Path) -> dict[str, str]:
    """Give a figure for the page: its title and its bytes as an address of their own."""
    kind, _, length = svg.stem.rpartition("-")
    title = TITLES.get(svg.stem) or f"{TITLES[kind]}, {words.lengths((int(length),))}"
    return {"title": title, "data": base64.b64encode(svg.read_bytes()).decode("ascii")}


def template(name: str) -> jinja2.Template:
    """Load a page's template; what it is given is escaped, what it is not given is an error."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(name)


def page(study: Study, figures: list[Path]) -> str:
    """Write the report of a study with its figures (SVG files, in the order in which they stand)."""
    formula = study.formula
    return template("study.html.j2").render(
        study=study.name,
        form=study.form,
        formula=formula,
        facts=formula.facts,
        confidence=f"{formula.confidence:.0%}",
        equation=words.equation(formula),
        lengths=words.lengths(formula.match_lengths),
        matches=words.number(study.points.loc[study.points["method"] == study.method, "n_matches"].sum()),
        points=words.number(formula.facts["n_points"]),
        fit={name: formula.facts["goodness_of_fit"][name] for name in ("chi_square", "dof", "p_value")},
        ranges=[
            (words.NAMES[name], words.milli(low), words.milli(high)) for name, (low, high) in formula.ranges.items()
        ],
        headline=contents.headline(study),
        by_length=contents.by_length(study),
        example=contents.example(study),
        design_points=contents.design_points(study),
        all_fits=contents.all_fits(study),
        pictures=[picture(svg) for svg in figures],
        provenance=contents.provenance_rows(study.provenance),
        rates=[words.NAMES[name] for name in formula.ranges],
    )


def pairs_page(study: Pairs, figures: list[Path]) -> str:
    """Write the report of a study that determines no formula, with its figures."""
    return template("pairs.html.j2").render(
        study=study.name,
        reason=study.reason,
        matches=words.number(study.rows["n_matches"].sum()),
        confidence=f"{study.rows['confidence'].iloc[0]:.0%}",
        rows=pairs.table(study.rows),
        pictures=[picture(svg) for svg in figures],
        provenance=contents.provenance_rows(study.provenance),
    )


def in_order(figures: list[Path]) -> list[Path]:
    """Sort figure files as the report shows them: coefficients, then agreement, then length by length."""
    first = {"coefficients": 0, "agreement": 1, "rating-all": 2, "surface": 3}

    def place(path: Path) -> tuple[int, str, str]:
        kind, _, length = path.stem.rpartition("-")
        return first.get(path.stem, 4), length, kind

    return sorted(figures, key=place)
