"""Figures that texts quote: what README and docs/upstream.md say is what the runs of the repository printed."""

import json
import re
from pathlib import Path

from bgrating.model.formula import read_formula

FOUND = re.compile(r"^ *(a2|b)\((\d+)\) = (\S+ \[\S+ \S+\])", re.MULTILINE)


def test_the_note_for_gnubg_quotes_the_coefficients_of_the_comparison(project: Path) -> None:
    note = (project / "docs" / "upstream.md").read_text(encoding="utf-8")
    printed = (project / "results" / "comparison" / "summary.txt").read_text(encoding="utf-8")
    found = {(term, length): value for term, length, value in FOUND.findall(printed)}
    assert len(found) == 10
    for length in ("3", "5", "7", "11", "23"):
        (row,) = re.findall(rf"^\| {length} \|(.*)\|$", note, re.MULTILINE)
        cells = [cell.strip() for cell in row.split("|")]
        assert (cells[0], cells[2]) == (found["a2", length], found["b", length])


def test_the_note_for_gnubg_quotes_both_formulas(project: Path) -> None:
    note = " ".join((project / "docs" / "upstream.md").read_text(encoding="utf-8").split())
    for name in ("part2/summary.txt", "statistics/summary.txt"):
        printed = (project / "results" / name).read_text(encoding="utf-8")
        lines = re.findall(r"(?:a2|b)\(N\) = [\d,]+ (?:[+-] [\d,]+ / N|at every match length)", printed)
        assert len(lines) >= 2
        assert [line for line in lines[:2] if line not in note] == []


def test_the_readme_quotes_the_recommended_formula(project: Path) -> None:
    words = " ".join((project / "README.md").read_text(encoding="utf-8").split())
    formula = read_formula(project / "results" / "statistics" / "recommended.json")
    low, high = formula.intervals()["b_const"]
    a2, a2_inverse, b = formula.estimate
    assert formula.terms == ("a2_const", "a2_inv", "b_const")
    assert f"a2(N) = {a2:,.0f} + {a2_inverse:,.0f} / N, b = {b:,.0f} [{low:,.0f}, {high:,.0f}]" in words


def test_the_readme_says_how_many_matches_are_there(project: Path) -> None:
    words = (project / "README.md").read_text(encoding="utf-8")
    held = sum(
        json.loads(path.read_text(encoding="utf-8"))["rows"]
        for part in ("part1", "part2")
        for path in (project / "results" / part / "frozen").glob("*.provenance.json")
    )
    assert f"{held:,}" in words
