"""Which formula rates, and for which depth."""

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from bgrating.engine.nets import committed_results, known_nets
from bgrating.rating.choose import choose
from bgrating.rating.formula_reader import FormulaError

NETS = "1.07.001"


def test_a_fitted_formula_goes_with_its_own_count_of_cube_decisions() -> None:
    fitted = choose("fitted", NETS)
    assert (fitted.limit, fitted.cube_limit, fitted.formula.coefficients) == (450.0, 0.015, ("a2", "b"))
    assert "fitted to gnubg" in fitted.words
    assert (fitted.formula.epc_definition, fitted.decisions) == ("moves", "unforced_moves")
    assert "cube errors per unforced move" in fitted.words


def test_the_formula_for_a_deeper_analysis_gives_the_same_rating_for_the_errors_it_finds() -> None:
    """Error rates times the measured factors give what the 0-ply rates gave, with a wider interval."""
    shallow, deep = (choose("fitted", NETS, level) for level in ("0-ply", "2-ply"))
    factors = pd.read_csv(committed_results(NETS) / "law" / "depth.csv").query("level == '2-ply'")
    factors = factors.set_index("rate")["factor"]
    own = shallow.formula.rating_difference(7, epm=0.008, epc=0.002)
    same = deep.formula.rating_difference(7, epm=0.008 * factors["epm"], epc=0.002 * factors["cube_per_move"])
    assert same[0] == pytest.approx(own[0], rel=1e-9)
    assert same[1] > own[1]
    assert "adjusted for 2-ply" in deep.words
    # The published coefficients stay as they are, as gnubg applies them at every depth.
    theirs = choose("published", NETS, "2-ply")
    assert (theirs.formula.estimate == choose("published", NETS).formula.estimate).all()
    assert "not measured for 2-ply" in theirs.words
    assert "not measured for 3-ply" in choose("fitted", NETS, "3-ply").words


def test_a_formula_by_which_errors_gain_points_is_refused(tmp_path: Path) -> None:
    formula = choose("fitted", NETS).formula
    file = tmp_path / "formula.json"
    replace(formula, estimate=-formula.estimate).write(file)
    with pytest.raises(FormulaError, match=r"formula\.json: a2 is -[\d.]+ at 1 points, but errors cost points"):
        choose(str(file), NETS)
    for nets in known_nets():
        for study in ("part1", "part2"):
            kept = choose(str(committed_results(nets) / study / "formula.json"), NETS)
            assert kept.formula.facts["study"] == study
