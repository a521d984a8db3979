"""The figure, the page and the printed lines of the law."""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from bgrating.pages import template
from bgrating.pages.style import BLUE, GREY, new_figure
from bgrating.pages.template import records
from bgrating.pages.words import between, number
from bgrating.rating.formula import MEASURED
from bgrating.rating.rates import COUNTS as RATE_COUNTS
from study.law import LIMIT, MOVES_TEST, TEST
from study.law.preregistered import CONFIRMED, COUNTS, LAW, MOVES, REFUTED

Tables = Mapping[str, pd.DataFrame]

VERDICTS = {
    CONFIRMED: "The test confirms the law inside its domain.",
    REFUTED: "The test refutes the law inside its domain.",
}
NAMES = {
    LAW: "cube error per unforced move (the law)",
    "per-close-decision": "per close decision (EPC)",
    "per-game": "per game",
    "per-cube-decision": "per cube decision",
    MOVES: "per unforced move, chequer errors per match too",
}

SHOWN = (1, 5, 11)  # match lengths that the first sentence names

TITLES = {"test": "Matches that nothing was fitted to, measured and predicted"}


def figures(tables: Tables) -> Iterator[tuple[str, Figure]]:
    """Yield the figure of the test, measured against predicted; nothing where it has not been played."""
    points = tables["test_points"]
    if points.empty:
        return
    own = points[points["count"] == LAW]
    figure, (axes,) = new_figure(1, width=6.4, height=5.2)
    most = float(max(own["predicted"].max(), own["measured"].max())) * 1.05
    axes.plot([0, most], [0, most], color=GREY, linewidth=1)
    axes.errorbar(own["predicted"], own["measured"], yerr=own["std_error"], fmt="o", color=BLUE, markersize=4)
    axes.set_xlabel("rating difference predicted from errors")
    axes.set_ylabel("rating difference measured (± one standard error)")
    yield "test", figure


def page(tables: Tables, folder: Path, nets: str, provenance: Mapping[str, Any]) -> str:
    """Return the page of the law, with the figures of a folder."""
    engines = _named(tables["engines"])
    return template.page(
        "law.html.j2",
        nets=nets,
        limit=number(LIMIT),
        lead=_lead(tables),
        NAMES=NAMES,
        YES={True: "yes", False: "no"},
        test=tables["test"],
        since=_of(tables["test_since"], TEST),
        moves=_of(tables["test_since"], MOVES_TEST),
        laws=_laws(tables["coefficients"]),
        lengths=_lengths(tables["at_lengths"]),
        engines=engines,
        depths=_depths(tables["depth_laws"]),
        depth_columns=[("The law", "name"), *((level, level) for level in tables["depth_laws"]["level"].unique())],
        coverage=tables["coverage"],
        factors=tables["depth"],
        checks=tables["depth_checks"],
        RATES={"epm": "EPM", **{count.rate: f"cube error {count.short}" for count in RATE_COUNTS.values()}},
        other=engines["other_nets"].iloc[0] if len(engines) else "",
        pictures=template.pictures(sorted(folder.glob("*.svg")), TITLES),
        studies=[name for name in sorted(provenance["studies"]) if name not in (TEST, MOVES_TEST)],
        measured=_measured(tables["lengths"]),
    )


def summary(tables: Tables, nets: str, report: Path) -> str:
    """Return the lines that the run prints."""
    lines = [f"The law inside its domain (predicted R below {number(LIMIT)}), gnubg {nets}:"]
    for law in _laws(tables["coefficients"]):
        fit = f"chi-square {number(law['chi_square'])} on {number(law['chi_square_dof'])}"
        lines.append(f"  {NAMES[law['count']]}: {law['formula']}; {fit}")
    for row in records(_lengths(tables["at_lengths"])):
        half = number(100 * row["relative_half_width"], 1)
        lines.append(f"  {row['name']} = {_interval(row)}, half-width {half} %")
    for row in records(_named(tables["engines"])):
        lines.append(f"  {row['name']}: {_interval(row, 'ratio', 'ratio', 3)} times that of {row['other_nets']}")
    lines += _of_all_studies(tables)
    lines.append(f"  {_verdict(tables)}")
    for row in records(tables["test"]):
        fit = f"chi-square {number(row['chi_square'], 1)} on {number(row['n_points'])} (p = {row['p_value']:.2g})"
        lines.append(f"  {NAMES[str(row['count'])]}: {fit}, slope {_interval(row, 'slope', 'slope', 3)}")
    return "\n".join([*lines, f"Report: {report}", ""])


def _of_all_studies(tables: Tables) -> Iterator[str]:
    """Yield what all studies together say: the fit below every limit, and the formula at single lengths."""
    for row in tables["cuts"].to_dict("records"):
        where = "of all points" if row["limit"] == math.inf else f"below {number(row['limit'])}"
        yield (
            f"  all studies, {row['form']} {where}: b = {_interval(row, 'b', 'b')}; "
            f"chi-square {number(row['chi_square'])} on {number(row['chi_square_dof'])}"
        )
    table = tables["lengths"]
    for one in records(table[(table["based_on"] == MEASURED) & (table["term"] == "a2")]):
        half = number(100 * one["fit_half_width"] / one["estimate"], 1)
        yield f"  all studies: a2({one['match_length']}) = {_interval(one)}, half-width of the fit alone {half} %"
    for factor in records(tables["depth"]):
        if factor["rate"] in ("epm", "epc_moves"):
            name = "EPM" if factor["rate"] == "epm" else "cube error per unforced move"
            value = _interval(factor, "factor", decimals=3)
            yield f"  {factor['level']} finds {value} times the {name} of 0-ply ({number(factor['n_matches'])} matches)"


def _depths(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return one row per coefficient with a column per depth: its estimate and interval in words."""
    rows: dict[str, dict[str, Any]] = {}
    for row in records(_named(table)):
        rows.setdefault(str(row["name"]), {"name": row["name"]})[str(row["level"])] = _interval(row)
    return list(rows.values())


def _lead(tables: Tables) -> str:
    """Return the formula that people are rated by, and what its test says."""
    table = tables["lengths"]
    cube = [f"b = {_interval(row)}" for row in records(table[table["term"] == "b"])[:1]]
    chequer = [
        f"a2({row['match_length']}) = {_interval(row)}"
        for row in records(table[(table["term"] == "a2") & table["match_length"].isin(SHOWN)])
    ]
    formula = f"All studies give {', '.join([*chequer, *cube])} rating points per EMG. " if cube else ""
    return formula + _verdict(tables)


def _interval(row: Mapping[Any, Any], name: str = "estimate", ends: str = "ci", decimals: int = 0) -> str:
    return f"{number(row[name], decimals)} {between(row[f'{ends}_low'], row[f'{ends}_high'], decimals)}"


def _measured(lengths: pd.DataFrame) -> pd.DataFrame:
    """Return the coefficients at measured lengths, with half the width of the interval of the fit alone as a share."""
    rows = lengths[lengths["based_on"] == MEASURED]
    rows = rows[(rows["term"] == "a2") | ~rows.duplicated("term")]  # b is one for all lengths
    share = rows["fit_half_width"] / rows["estimate"]
    return _named(rows.assign(fit_share=share, match_length=rows["match_length"].where(rows["term"] == "a2")))


def _verdict(tables: Tables) -> str:
    test = tables["test"]
    if test.empty:
        return "The preregistered test has not been played to its end."
    said = VERDICTS.get(str(test.iloc[0]["verdict"]), "The test leaves it undecided.")
    since = [row for row in records(_of(tables["test_since"], TEST))[:1] if row["slope"] != test.iloc[0]["slope"]]
    more = [
        f" With what has been played since, measured over predicted is {_interval(row, 'slope', 'slope', 2)}: "
        f"{row['verdict']}."
        for row in since
    ]
    return said + "".join(more) + _moves_verdict(_of(tables["test_since"], MOVES_TEST))


def _moves_verdict(table: pd.DataFrame) -> str:
    """Return what docs/preregistration-moves.md wants said of the law and of the formula with one term more."""
    if not {LAW, MOVES} <= set(table["count"] if len(table) else ()):
        return ""
    law, term = (records(table[table["count"] == count])[0] for count in (LAW, MOVES))
    needed = "is needed" if term["log_loss_high"] < 0 else "is not needed"
    by_law, by_term = (f"{_interval(row, 'slope', 'slope', 2)} ({row['verdict']})" for row in (law, term))
    return (
        f" In short matches and long ones, a second test written down beforehand, it is {by_law} by the law and "
        f"{by_term} with chequer errors per match as one term more: the term {needed}."
    )


def _of(table: pd.DataFrame, study: str) -> pd.DataFrame:
    return table[table["study"] == study] if len(table) else table


def _laws(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the first row of every count's fit, with its formula in words."""
    rows = []
    for count in COUNTS if len(table) else ():
        own = table[table["count"] == count]
        if len(own):
            value = dict(zip(own["term"], own["estimate"], strict=True))
            b = number(value["b_const"]) + (f" {_signed(value['b_inv'])} / N" if "b_inv" in value else "")
            formula = f"a2(N) = {number(value['a2_const'])} {_signed(value['a2_inv'])} / N, b = {b}"
            if "m_inv" in value:
                formula += f", and {number(value['m_inv'])} x chequer error per match / N"
            rows.append({**records(own)[0], "formula": formula})
    return rows


def _signed(value: float) -> str:
    return f"{'-' if value < 0 else '+'} {number(abs(value))}"


def _lengths(table: pd.DataFrame) -> pd.DataFrame:
    return _named(table[table["count"] == LAW] if len(table) else table)


def _named(table: pd.DataFrame) -> pd.DataFrame:
    """Name each coefficient of a table: a2, or a2(5) at 5 points."""
    names = [
        row["term"] if pd.isna(row["match_length"]) else f"{row['term']}({int(row['match_length'])})"
        for row in records(table)
    ]
    return table.assign(name=names)
