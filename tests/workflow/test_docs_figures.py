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


@pytest.mark.parametrize("nets", ["1.08", "1.07.001"])
def test_the_readme_quotes_the_formula_of_each_engine(project: Path, nets: str) -> None:
    formula = read_formula(project / "results" / nets / "formula.json")
    fitted, (low, high) = dict(zip(formula.terms, formula.estimate, strict=True)), formula.intervals()["b_const"]
    one = f"; a2(1) = {fitted['a2_one']:,.0f}" if "a2_one" in fitted else ""
    goodness = formula.facts["goodness_of_fit"]
    row = (
        f"| {nets} | {fitted['a2_const']:,.0f} + {fitted['a2_inv']:,.0f} / N{one} "
        f"| {fitted['b_const']:,.0f} [{low:,.0f}, {high:,.0f}] | {', '.join(map(str, formula.match_lengths))} "
        f"| {goodness['chi_square']:.0f} on {goodness['dof']} |"
    )
    assert row in (project / "README.md").read_text(encoding="utf-8")


def quoted(row: pd.Series, name: str, ends: str = "", decimals: int = 2) -> str:
    """Return an estimate and its interval as the texts write them."""
    value, low, high = (f"{row[key]:.{decimals}f}" for key in (name, f"{ends or name}_low", f"{ends or name}_high"))
    return f"{value} [{low}, {high}]"


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
