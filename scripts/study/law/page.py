"""The figure, the page and the printed lines of the law."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from bgrating.pages import template
from bgrating.pages.template import records
from bgrating.pages.words import line, number
from bgrating.rating.formula import MEASURED, RatingFormula, read_formula
from bgrating.rating.rates import COUNTS as RATE_COUNTS
from bgrating.tables.tables import read_table
from study import style
from study.law import CUBES, FOURTH_TEST, LIMIT, TABLES, THIRD_TEST
from study.law.between import FROZEN_FORM, LAW, NEITHER, UNDECIDED
from study.law.tests import EARLIER, WHOLE
from study.pages import Page, interval

Tables = Mapping[str, pd.DataFrame]

NAMES = {
    "law": "the law", "moves": "the law and chequer errors per match", "denominator": "both cubes in the denominator",
    "close": "by gnubg's EPC", "every": "cube error per cube decision", "game": "cube error per game",
    "games": "both errors per game", "line": "the law with b a line in 1/N", "frozen": "both cubes held at people's",
}  # fmt: skip
CHOSE = {
    LAW: "chose the law", FROZEN_FORM: "chose this form over the law", UNDECIDED: "did not decide",
    NEITHER: "refuted both forms",
}  # fmt: skip
ENDS = (0.0005, 0.1)
"""EMG per unforced move: where the figure's scale begins and ends; cells beyond stand there."""
TITLES = {"cubes": "Measured over predicted rating difference by the sum of both players' cube errors"}
CELL_NAMES = {"fitted": "fitted: Parts I and II", "all unfitted": "all that was not fitted"}


def figures(tables: Tables) -> Iterator[tuple[str, Figure]]:
    """Yield measured over predicted against the sum of both cube errors, by bins of cells."""
    cubes = tables["cubes"]
    figure, (axes,) = style.new_figure(1, width=8.2, height=5.0)
    axes.axvline(style.MILLI * CUBES, color=style.GREY, linewidth=1, linestyle="dotted")
    axes.axhline(1, color=style.GREY, linewidth=1)
    sets = (
        (WHOLE, style.SKY, "o", "Parts I and II, fitted"),
        (EARLIER, style.VERMILION, "s", "other studies, not fitted"),
        (THIRD_TEST, style.BLUE, "D", "the test inside people's range, not fitted"),
    )
    for place, (name, color, marker, words) in enumerate(sets):
        cells = cubes[cubes["cells"] == name]
        if cells.empty:
            continue
        low, high = (cells[f"sum_{end}"].clip(*ENDS).to_numpy() for end in ("low", "high"))
        at = style.MILLI * np.sqrt(low * high) * 1.06 ** (place - 1)  # beside each other
        ends = np.abs(cells[["slope_low", "slope_high"]].sub(cells["slope"], axis=0)).T
        axes.errorbar(at, cells["slope"], yerr=ends, fmt=marker, color=color, markersize=7, label=words)
    axes.set(
        xscale="log", ylim=(0.5, 1.3), xlabel="sum of both players' cube errors, milli-EMG per unforced move",
        ylabel="rating difference: measured over predicted by the law",
    )  # fmt: skip
    axes.xaxis.set_major_formatter("{x:g}")
    style.legend(figure, 3, axes)
    style.note(figure, "90 % intervals. Dotted: the domain's limit.")
    yield "cubes", figure


def made(folder: Path) -> Page:
    """Return the page of a folder of results/<nets>/law; the folder above it has the formula."""
    tables = {name: read_table(folder / f"{name}.csv") for name in TABLES}
    formula = read_formula(folder.parent / "formula.json")
    nets = str(formula.facts["nets"])
    return Page(
        figures(tables),
        lambda drawn: page(tables, formula, drawn, nets),
        summary(tables, formula, nets, folder / "report.html"),
    )


def page(tables: Tables, formula: RatingFormula, drawn: list[Path], nets: str) -> str:
    """Return the page of the law with its figures (SVG files)."""
    engines = _named(tables["engines"])
    return template.page(
        "law.html.j2",
        nets=nets,
        limit=number(LIMIT),
        cubes=number(style.MILLI * CUBES),
        lead=lead(tables, formula),
        NAMES=NAMES,
        CELL_NAMES=CELL_NAMES,
        YES={True: "yes", False: "no"},
        tests=tables["tests"],
        fourth=tables["between"],
        halves=tables["split_halves"],
        sums=_sums(tables["cubes"]),
        contest=tables["contest"],
        coefficients=tables["coefficients"],
        measured=_measured(tables["lengths"]),
        formula=formula,
        coverage=_shares(tables["coverage"]),
        engines=engines,
        other=engines["other_nets"].iloc[0] if len(engines) else "",
        factors=tables["depth"],
        RATES={"epm": "EPM", **{count.rate: f"cube error {count.short}" for count in RATE_COUNTS.values()}},
        pictures=template.pictures(drawn, TITLES),
    )


def lead(tables: Tables, formula: RatingFormula) -> str:
    """Return the answer in two sentences: the formula, and what the test that chose its form gave."""
    b = formula.at("b", 7.0)
    first = (
        f"R = a2(N) × EPM + {interval(b, 'estimate', ends='ci')} × cube error per unforced move, with a2(N) = "
        f"{line(formula, 'a2')}, for differences below {number(LIMIT)} points and cube errors of both players up to "
        f"{number(1000 * CUBES)} milli-EMG together."
    )
    if tables["between"].empty:
        return f"{first} With these nets its form has not been tested inside people's range."
    told = records(tables["between"])[0]
    named = {LAW: "the law", FROZEN_FORM: "the form with both cubes held at people's"}
    row = records(tables["tests"].query(f"study == {FOURTH_TEST!r} and form == {formula.facts['form']!r}"))[0]
    return (
        f"{first} A test written down before its {number(row['n_matches'])} matches "
        f"{CHOSE[told['verdict']]}: the measured chances stand at {interval(told, 'position', 2)} "
        f"between {named[LAW]} (0) and {named[FROZEN_FORM]} (1), {100 * told['confidence']:.0f} % interval. Measured "
        f"over predicted differences are {interval(row, 'slope', 3)}."
    )


def summary(tables: Tables, formula: RatingFormula, nets: str, report: Path) -> str:
    """Return the lines that the run prints."""
    lines = [f"The law, gnubg {nets}: {lead(tables, formula)}"]
    for row in records(tables["tests"]):
        fit = f"chi-square {number(row['chi_square'])} on {number(row['n_points'])}"
        slope = interval(row, "slope", 3)
        lines.append(f"  {row['study']}, {NAMES[str(row['form'])]} ({row['looked']}): {fit}, {slope}, {row['verdict']}")
    for row in records(_measured(tables["lengths"])):
        lines.append(f"  {row['name']} = {interval(row, 'estimate', ends='ci')}")
    for row in records(_named(tables["engines"])):
        lines.append(f"  {row['name']}: {interval(row, 'ratio', 3)} times that of {row['other_nets']}")
    return "\n".join([*lines, f"Report: {report}", ""])


def _sums(table: pd.DataFrame) -> pd.DataFrame:
    ends = [
        f"above {1000 * low:g}" if np.isinf(high) else f"{1000 * low:g} to {1000 * high:g}"
        for low, high in zip(table["sum_low"], table["sum_high"], strict=True)
    ]
    return table.assign(sum=ends)


def _shares(coverage: pd.DataFrame) -> pd.DataFrame:
    """Return the table with bias and half-width in per cent of the truth: it holds coefficients and a slope."""
    truth = coverage["truth"]
    return coverage.assign(bias_share=100 * coverage["bias"] / truth, half_share=100 * coverage["half_width"] / truth)


def _measured(lengths: pd.DataFrame) -> pd.DataFrame:
    rows = lengths[lengths["based_on"] == MEASURED]
    rows = rows[(rows["term"] == "a2") | ~rows.duplicated("term")]
    return _named(rows.assign(match_length=rows["match_length"].where(rows["term"] == "a2")))


def _named(table: pd.DataFrame) -> pd.DataFrame:
    """Name each coefficient of a table: a2, or a2(5) at 5 points."""
    names = [
        row["term"] if pd.isna(row["match_length"]) else f"{row['term']}({int(row['match_length'])})"
        for row in records(table)
    ]
    return table.assign(name=names)
