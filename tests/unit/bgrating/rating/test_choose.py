"""Which formula rates, and for which depth."""

from dataclasses import replace
from pathlib import Path

import pytest

from bgrating.engine.known_engines import engine_versions
from bgrating.rating.choose import choose
from bgrating.rating.formula_reader import FormulaError
from bgrating.rating.result_files import results_of

ENGINE_VERSION = "1.07.001"


def test_a_fitted_formula_goes_with_its_own_count_of_cube_decisions() -> None:
    fitted = choose("fitted", ENGINE_VERSION)
    assert (fitted.limit, fitted.cube_limit, fitted.formula.coefficients) == (
        450.0,
        0.015,
        ("a2", "b"),
    )
    assert "fitted to gnubg" in fitted.description
    assert (fitted.formula.epc_definition, fitted.decisions) == ("moves", "unforced_moves")
    assert "cube errors per unforced move" in fitted.description


@pytest.mark.parametrize("coefficients", ["fitted", "published"])
def test_errors_that_a_deeper_analysis_finds_are_rated_with_a_warning(coefficients: str) -> None:
    """No ratio turns them into those of 0-ply, so the coefficients stay."""
    shallow, deep = (choose(coefficients, ENGINE_VERSION, level) for level in ("0-ply", "2-ply"))
    assert (deep.formula.estimate == shallow.formula.estimate).all()
    assert (
        deep.description
        == f"{shallow.description}; CAUTION: for errors that 0-ply finds, but 2-ply found these"
    )


def test_a_formula_by_which_errors_gain_points_is_refused(tmp_path: Path) -> None:
    formula = choose("fitted", ENGINE_VERSION).formula
    file = tmp_path / "formula.json"
    for sign in (-1, 0):
        replace(formula, estimate=sign * formula.estimate).write(file)
        with pytest.raises(
            FormulaError,
            match=r"formula\.json: a2 is (-[\d.]+|0) at 1 points, but errors cost points",
        ):
            choose(str(file), ENGINE_VERSION)
    for engine_version in engine_versions():
        for study in ("part1", "part2"):
            kept = choose(str(results_of(engine_version) / study / "formula.json"), ENGINE_VERSION)
            assert kept.formula.metadata["study"] == study
