"""Figures that texts quote: what README and docs/gnubg.md say is what the runs of the repository printed."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest

from bgrating.rating.formula import read_formula

NETS = "1.07.001"
FOUND = re.compile(r"^ *(a2|b)\((\d+)\) = (\S+ \[\S+ \S+\])", re.MULTILINE)


def words_of(page: Path) -> str:
    """Return the words of a page on one line."""
    return " ".join(page.read_text(encoding="utf-8").split())


def test_the_note_for_gnubg_quotes_the_coefficients_of_the_comparison(project: Path) -> None:
    note = (project / "docs" / "gnubg.md").read_text(encoding="utf-8")
    printed = (project / "results" / NETS / "comparison" / "summary.txt").read_text(encoding="utf-8")
    found = {(term, length): value for term, length, value in FOUND.findall(printed)}
    assert len(found) == 10
    for length in ("3", "5", "7", "11", "23"):
        (row,) = re.findall(rf"^\| {length} \|(.*)\|$", note, re.MULTILINE)
        cells = [cell.strip() for cell in row.split("|")]
        assert (cells[0], cells[2]) == (found["a2", length], found["b", length])


def test_the_note_for_gnubg_quotes_both_formulas(project: Path) -> None:
    note = " ".join((project / "docs" / "gnubg.md").read_text(encoding="utf-8").split())
    for name in ("part2/summary.txt", "statistics/summary.txt"):
        printed = (project / "results" / NETS / name).read_text(encoding="utf-8")
        lines = re.findall(r"(?:a2|b)\(N\) = [\d,]+ (?:[+-] [\d,]+ / N|at every match length)", printed)
        assert len(lines) >= 2
        assert [line for line in lines[:2] if line not in note] == []


@pytest.mark.parametrize("nets", ["1.08", "1.07.001"])
def test_the_readme_quotes_the_formula_of_each_engine(project: Path, nets: str) -> None:
    formula = read_formula(project / "results" / nets / "law" / "formula.json")
    fitted, (low, high) = dict(zip(formula.terms, formula.estimate, strict=True)), formula.intervals()["b_const"]
    one = f"; a2(1) = {fitted['a2_one']:,.0f}" if "a2_one" in fitted else ""
    goodness = formula.facts["goodness_of_fit"]
    row = (
        f"| {nets} | {fitted['a2_const']:,.0f} + {fitted['a2_inv']:,.0f} / N{one} "
        f"| {fitted['b_const']:,.0f} [{low:,.0f}, {high:,.0f}] | {', '.join(map(str, formula.match_lengths))} "
        f"| {goodness['chi_square']:.0f} on {goodness['dof']} |"
    )
    assert row in (project / "README.md").read_text(encoding="utf-8")


def test_the_texts_quote_the_preregistered_test(project: Path) -> None:
    short, long = (words_of(project / page) for page in ("README.md", "docs/methods.md"))
    rows = pd.read_csv(project / "results" / "1.08" / "law" / "test.csv").set_index("count")
    law, epc = rows.loc["per-unforced-move"], rows.loc["per-close-decision"]
    slope = f"measured over predicted is {quoted(law, 'slope')}"
    assert slope in short
    assert slope in long
    chi_square = f"chi-square {law['chi_square']:.1f} on {law['n_points']:.0f}"
    assert f"({chi_square}, where gnubg's EPC has {epc['chi_square']:.1f})" in long
    since = outcomes_since(project).loc["inside", "per-unforced-move"]
    slope = quoted(since, "slope")
    assert f"with what was played since {slope}, refuted" in short
    assert f"chi-square {since['chi_square']:.1f}, slope {slope}" in long
    chequer, cube = (quoted(since, name) for name in ("chequer_slope", "cube_slope"))
    assert f"cost {chequer} times what the law says, cube errors {cube}" in long


def quoted(row: pd.Series, name: str, ends: str = "", decimals: int = 2) -> str:
    """Return an estimate and its interval as the texts write them."""
    value, low, high = (f"{row[key]:.{decimals}f}" for key in (name, f"{ends or name}_low", f"{ends or name}_high"))
    return f"{value} [{low}, {high}]"


def outcomes_since(project: Path) -> pd.DataFrame:
    table = pd.read_csv(project / "results" / "1.08" / "law" / "test_since.csv")
    return table.set_index(["study", "count"])


def test_the_texts_quote_what_the_number_of_moves_is_worth(project: Path) -> None:
    short, long = (words_of(project / page) for page in ("README.md", "docs/methods.md"))
    rows, counts = outcomes_since(project), ("per-unforced-move", "per-move-and-match")
    law, term = (rows.loc["short-long", count] for count in counts)
    slopes = [quoted(row, "slope") for row in (law, term)]
    assert f"in a second one {slopes[0]} (refuted)" in short
    assert f"chequer errors per match as a term the second gives {slopes[1]}" in short
    assert (law["verdict"], term["verdict"]) == ("refuted", "undecided")
    assert f"refutes the law (chi-square {law['chi_square']:.1f} on {law['n_points']}, slope {slopes[0]})" in long
    fit = f"{term['chi_square']:.1f} on {term['n_points']}, p = {term['p_value']:.3f}, slope {slopes[1]}"
    assert f"leaves the formula with the term undecided ({fit})" in long
    better = -term[["log_loss_difference", "log_loss_high", "log_loss_low"]]
    assert "log loss per match is {:.1f} [{:.1f}, {:.1f}] thousandths smaller".format(*better) in long
    seen = rows.loc["inside", "per-move-and-match"]
    assert f"chi-square {seen['chi_square']:.1f} on {seen['n_points']} and slope {quoted(seen, 'slope')}" in long
    terms = {}
    for nets in ("1.08", NETS):
        table = pd.read_csv(project / "results" / nets / "law" / "coefficients.csv")
        terms[nets] = table[table["count"] == "per-move-and-match"].set_index("term")
    new, old = (quoted(one.loc["m_inv"], "estimate", "ci", decimals=0) for one in (terms["1.08"], terms[NETS]))
    assert f"m = {new} (1.07.001: {old})" in long
    field = pd.read_csv(project / "results" / "1.08" / "field" / "matches.csv")
    moves = (field["unforced_moves"] / field["match_length"]).groupby(field["match_length"]).mean()
    assert f"{moves[7]:.1f} unforced moves a point at 7 points and {moves[11]:.1f} at 11" in long
    people = json.loads((project / "results" / "1.08" / "law" / "formula.json").read_text(encoding="utf-8"))
    by_law = people["estimate"]
    value = terms["1.08"]["estimate"]
    more = [
        (value["a2_const"] + value["a2_inv"] / n + value["m_inv"] * moves[n])
        / (by_law["a2_const"] + by_law["a2_inv"] / n)
        - 1
        for n in (7, 11)
    ]
    assert "cost {:.0%} and {:.0%} more".format(*more).replace("%", "", 1).replace("%", " per cent") in long


def test_the_methods_say_how_often_the_laws_intervals_hold(project: Path) -> None:
    long = words_of(project / "docs" / "methods.md")
    table = pd.concat(pd.read_csv(project / "results" / nets / "law" / "coverage.csv") for nets in ("1.08", NETS))
    ends = 100 * table.groupby("world")[["coverage", "fit_coverage"]].agg(["min", "max"])
    product, law, alone = (
        f"{ends.loc[world, (column, 'min')]:.0f} to {ends.loc[world, (column, 'max')]:.0f} %"
        for world, column in (("product", "coverage"), ("law", "coverage"), ("product", "fit_coverage"))
    )
    assert f"its own intervals hold the slope there in {alone} of {table['studies'].max():,} simulated studies" in long
    assert f"hold the slope in {product} under that truth and {law} under the law itself" in long


def test_the_methods_say_how_the_law_does_for_a_player_who_searches(project: Path) -> None:
    old, new = (
        pd.read_csv(project / "results" / nets / "law" / "depth_checks.csv").set_index("study")
        for nets in (NETS, "1.08")
    )
    own, since, deeper = old.loc["appendix2-1-ply"], new.loc["appendix2-1-ply"], old.loc["check-1-ply-players"]
    said = (
        f"at {own['match_length']} points 1-ply against 0-ply is {own['measured']:.0f} ± {own['std_error']:.0f} "
        f"where the law at 1-ply says {own['by_law_at_level']:.0f} ± {own['by_law_at_level_se']:.0f}, "
        f"with 1.08 {since['measured']:.0f} ± {since['std_error']:.0f} "
        f"where it says {since['by_law_at_level']:.0f} ± {since['by_law_at_level_se']:.0f}",
        f"at 2-ply ({deeper['n_judged']} matches of {NETS}) the law says {deeper['by_law_at_level']:.0f} "
        f"± {deeper['by_law_at_level_se']:.0f}",
    )
    assert [words for words in said if words not in words_of(project / "docs" / "methods.md")] == []


def test_the_methods_say_how_appendix_2_came_out(project: Path) -> None:
    said, far = words_of(project / "docs" / "methods.md"), {}
    for nets in (NETS, "1.08"):
        table = pd.read_csv(project / "results" / nets / "comparison" / "out_of_sample.csv")
        far[nets] = table.loc[table["study"].str.startswith("appendix2"), "distance"]
    assert f"come out again within {far[NETS].max():.0f} points of their published intervals" in said
    inside, (less, more) = (far["1.08"] == 0).sum(), sorted(far["1.08"][far["1.08"] > 0])
    assert f"Of the {len(far['1.08'])} rows played with 1.08, {inside} lie inside" in said
    assert f"lie above by {less:.0f} and {more:.0f} points" in said


def test_the_docs_say_how_errors_agree_with_results_in_the_tournaments(project: Path) -> None:
    said = words_of(project / "docs" / "methods.md")
    for nets in (NETS, "1.08"):
        table = pd.read_csv(project / "results" / nets / "tournament" / "default" / "agreement.csv")
        rows = table.set_index(["system", "other"]).loc["luck_adjusted"]
        for system in ("errors_fitted", "errors_published"):
            words = quoted(rows.loc[system], "correlation", "correlation_ci", decimals=4)
            assert words in said, (nets, system)
            assert (nets, system) != (NETS, "errors_fitted") or words in words_of(project / "README.md")
        assert f"{rows.loc['errors_fitted', 'largest_difference']:.0f} points better than its errors say" in said


def test_the_readme_says_how_many_matches_are_there(project: Path) -> None:
    words = (project / "README.md").read_text(encoding="utf-8")
    held = sum(
        json.loads(path.read_text(encoding="utf-8"))["rows"]
        for part in ("part1", "part2")
        for path in (project / "results" / NETS / part / "frozen").glob("*.provenance.json")
    )
    assert f"{held:,}" in words


def test_the_guarantees_quote_the_attacks_and_the_kills(project: Path) -> None:
    page = (project / "docs" / "guarantees.md").read_text(encoding="utf-8")
    attacks, kills = (pd.read_csv(project / "results" / "fuzz" / f"{name}.csv") for name in ("attacks", "kills"))
    shown = ["tried", "refused", "flagged", "same", "consistent", "misread", "fallen", "lost_rows"]
    rows = attacks[["kind", "change", *shown]].itertuples(index=False, name=None)
    wanted = [
        f"| {kind} | {change.replace('_', ' ')} | {' | '.join(f'{n:,}' for n in ns)} |" for kind, change, *ns in rows
    ]
    total, changed = attacks[shown].sum(), attacks.filter(like="changed_").sum()
    wanted.append(f"| **all** | | {' | '.join(f'**{n:,}**' for n in total)} |")
    wanted += [f"| {what} | {changed[f'changed_{what}']} |" for what in ("headers", "length", "rolls", "cube")]
    wanted.append(f"| games, scores | {changed['changed_games'] + changed['changed_scores']} |")
    assert changed[["changed_plays", "changed_results"]].sum() == total["misread"] == total["fallen"] == 0
    by = [int(kills.filter(regex=f"_{end}$").to_numpy().sum()) for end in ("run", "job", "engine")]
    assert sum(by) == 100
    row = [*by, len(kills), kills["tables"].sum(), kills["different"].sum()]
    wanted.append(f"| {' | '.join(map(str, row))} |")
    assert [line for line in wanted if line not in page] == []


def test_the_texts_quote_what_people_say(project: Path) -> None:
    short, long = (words_of(project / page) for page in ("README.md", "docs/methods.md"))
    row = (
        pd.read_csv(project / "results/1.08/people/whom.csv")
        .set_index(["formula", "group"])
        .loc[("fitted", "all matches")]
    )
    instrumented, single = (
        f"{row[name]:.2f} [{row[f'{name}_low']:.2f}, {row[f'{name}_high']:.2f}]"
        for name in ("instrumented_ratio", "ratio")
    )
    assert f"{instrumented} times" in short
    assert f"people over noise is {instrumented}" in long
    assert f"people over noise {single}" in long
    assert f"{row['n_matches']:,.0f} decided matches" in long
