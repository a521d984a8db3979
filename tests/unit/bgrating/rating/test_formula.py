import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import simulated_studies as simulated
from bgrating.rating.formula import read_formula, write_no_formula
from bgrating.rating.formula_of_2003 import published_formula
from bgrating.rating.formula_reader import FormulaError, NoFormulaError
from bgrating.rating.intervals import quantile
from bgrating.rating.terms import beyond
from bgrating.tables.provenance import (
    ProvenanceError,
    provenance_path,
    read_provenance,
    write_provenance,
)
from bgrating.tables.table_files import write_table
from corpus import cases, data_text, texts
from made_up_studies import BY_HAND
from study.beside_2003 import predictions
from study.custody import origin
from study.formula.catalogue import fit_all, recommended
from study.formula.design_points import points
from study.formula.regressions import UndeterminedError


def recommend(lengths=(3, 5), players=None, matches=30):
    table = simulated.study(
        np.random.default_rng(3), lengths=lengths, matches=matches, players=players
    )
    reduced = points(table)
    results = list(fit_all(reduced))
    return reduced, recommended(results, reduced, {"study": "test"})


def test_coefficients_and_rating_differences_by_hand():
    assert BY_HAND.coefficient("a2", 5) == pytest.approx((14000, np.hypot(100, 100)))
    assert BY_HAND.coefficient("b", 5) == pytest.approx((900, np.hypot(20, 10)))
    value, error = BY_HAND.rating_difference(5, epm=0.01, epc=0.05)
    assert value == pytest.approx(140 + 45)
    assert error == pytest.approx(np.hypot(0.01 * np.hypot(100, 100), 0.05 * np.hypot(20, 10)))
    assert BY_HAND.half_width(10.0) == pytest.approx(
        16.80230
    )  # t for 44 degrees of freedom, printed table


def test_a_length_is_beyond_those_measured_only_outside_them():
    """From 3 to 7 points the formula is measured; 1 point is a length of its own."""
    assert [length for length in range(1, 10) if beyond([1, 3, 7], length)] == [2, 8, 9]
    assert beyond([1], 2) == "the formula was measured at 1 points; 2 points are beyond that"


def test_a_file_holds_the_formula(tmp_path):
    BY_HAND.write(tmp_path / "formula.json")
    again = read_formula(tmp_path / "formula.json")
    np.testing.assert_array_equal(again.estimate, BY_HAND.estimate)
    np.testing.assert_array_equal(again.covariance, BY_HAND.covariance)
    names = ("terms", "dof", "confidence", "epc_definition", "match_lengths", "ranges", "metadata")
    for name in names:
        assert getattr(again, name) == getattr(BY_HAND, name)
    text = json.loads((tmp_path / "formula.json").read_text(encoding="utf-8"))
    assert text["formula"] == "a2(N) EPM + b(N) EPC"
    per_move = replace(BY_HAND, epc_definition="moves")
    assert per_move.equation == "a2(N) EPM + b(N) (cube error per unforced move)"
    assert text["estimate"]["a2_inv"] == 25000
    assert text["interval"]["a2_const"] == pytest.approx([9000 - 168.023, 9000 + 168.023])


def changed(**values):
    text = json.loads(data_text("formula.json")) | values
    return json.dumps({key: value for key, value in text.items() if value is not None})


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        *cases("sentences.formulas"),
        ("[" * 100_000, "is not a rating formula.*recursion"),
        (changed().replace("9000", "1e999"), "estimate.a2_const: inf is greater than the maximum"),
        (changed(tau=None), "'tau' is a required property .the scatter of players, without"),
        (changed(interval={"a": [0, 1]}), "interval: it has other names"),
        (
            changed(dof=0).replace('"dof": 0', '"dof": ' + "1" * 4000),
            "dof: 1111",
        ),
        (
            changed(dof=0).replace('"dof": 0', '"dof": ' + "9" * 5000),
            "is not a rating formula.*4300 digits",
        ),
    ],
)
def test_a_file_that_is_no_formula_is_refused_in_one_sentence(tmp_path, content, sentence):
    file = tmp_path / "formula.json"
    file.write_text(content if isinstance(content, str) else changed(**content), encoding="utf-8")
    with pytest.raises(FormulaError, match=f"formula\\.json.*{sentence}") as problem:
        read_formula(file)
    assert "\n" not in str(problem.value)
    assert len(str(problem.value)) < 500


def test_a_device_and_a_large_file_are_refused_at_once(tmp_path):
    (tmp_path / "sparse").touch()
    os.truncate(tmp_path / "sparse", 10**9)
    for path, sentence in (
        (Path("/dev/zero"), "not a regular file"),
        (tmp_path / "sparse", "larger than 1,000,000"),
    ):
        with pytest.raises(FormulaError, match=f"{path} is not a rating formula.*{sentence}"):
            read_formula(path)


@pytest.mark.parametrize(("dof", "confidence", "printed"), cases("values.student"))
def test_half_an_interval_is_as_in_printed_tables_of_student(dof, confidence, printed):
    assert quantile(confidence, dof) == pytest.approx(printed, abs=0.0005)


@pytest.mark.parametrize("shift", [0.0, 0.01])
def test_an_interval_that_contradicts_its_covariance_is_refused(tmp_path, shift):
    """By t = 1.6802300 of a printed table: 168.0230 at a standard error of 100."""
    text = json.loads(changed())
    ends = {term: [value - 168.0230, value + 168.0230] for term, value in text["estimate"].items()}
    ends["b_inv"][1] += shift
    file = tmp_path / "formula.json"
    file.write_text(changed(interval=ends), encoding="utf-8")
    if not shift:
        assert read_formula(file).terms == tuple(text["terms"])
    else:
        sentence = "interval: that of b_inv is not the one of its estimate"
        with pytest.raises(FormulaError, match=sentence):
            read_formula(file)


def test_a_file_that_was_changed_is_refused(tmp_path):
    BY_HAND.write(tmp_path / "formula.json")
    (tmp_path / "formula.json").write_text(changed(), encoding="utf-8")
    with pytest.raises(ProvenanceError, match="checksum"):
        read_formula(tmp_path / "formula.json")
    provenance_path(tmp_path / "formula.json").unlink()
    assert read_formula(tmp_path / "formula.json").coefficients == ("a2", "b")


@pytest.mark.parametrize("damaged", texts("values.damaged_records"))
def test_a_damaged_provenance_is_refused(tmp_path, damaged):
    (tmp_path / "formula.json").write_text(changed(), encoding="utf-8")
    (tmp_path / "other.provenance.json").write_text(damaged, encoding="utf-8")
    with pytest.raises(ProvenanceError, match=r"formula\.json.* (is damaged|names no checksum)"):
        read_formula(tmp_path / "formula.json")


def test_the_published_formulas():
    bilinear, linear = published_formula("bilinear"), published_formula("linear")
    # Printed as 17 307, 690, 13 903 and 759.
    for length, a2, b in ((3, 17306.67, 690), (5, 13903.2, 759.2)):
        assert bilinear.coefficient("a2", length)[0] == pytest.approx(a2, rel=1e-6)
        assert bilinear.coefficient("b", length)[0] == pytest.approx(b, rel=1e-6)
    assert linear.coefficient("a", 1)[0] == pytest.approx(35652)
    assert np.isnan(bilinear.rating_difference(5, epm=0.01, epc=0.05)[1])
    assert (bilinear.epc_definition, linear.epc_definition) == ("2003", "2003")
    assert bilinear.match_lengths == (3, 5, 7, 11, 23)
    assert linear.match_lengths == (1, 3, 5, 7, 11, 23)


def test_the_recommended_formula_of_a_study(tmp_path):
    reduced, formula = recommend()
    assert formula.terms == ("a2_const", "a2_inv", "b_const", "b_inv")
    assert (formula.covariance.shape, formula.match_lengths) == ((4, 4), (3, 5))
    expected = {"model": "bilinear-joint-probability-clustered", "method": "control-variate"}
    expected |= {"n_points": 32, "n_matches": 960}
    assert {name: formula.metadata[name] for name in expected} == expected
    assert formula.metadata["goodness_of_fit"]["dof"] == 28
    assert 0 < formula.metadata["goodness_of_fit"]["p_value"] < 1
    assert formula.ranges["epc"][1] == pytest.approx(reduced["epc"].max())
    formula.write(tmp_path / "formula.json")
    assert read_formula(tmp_path / "formula.json").metadata["study"] == "test"


def test_too_few_points_give_no_formula():
    with pytest.raises(
        UndeterminedError,
        match=r"^no formula can be recommended: a with an error need at least 2 usable .* not 1$",
    ):
        recommend(lengths=(5,), players=simulated.sixteen()[:1])


def test_predictions_take_each_formulas_own_rates():
    reduced, formula = recommend()
    seen = predictions(reduced, formula)
    assert len(seen) == 32
    row = seen.iloc[5]
    rates = {"published": ("epm_averaged", "epc_2003_averaged"), "predicted": ("epm", "epc")}
    for name, by in (("published", published_formula("bilinear")), ("predicted", formula)):
        a2, b = (by.coefficient(one, row["match_length"])[0] for one in ("a2", "b"))
        epm, epc = rates[name]
        assert row[name] == pytest.approx(a2 * row[epm] + b * row[epc])
    chance = 1 / (1 + 10 ** (row["predicted"] * np.sqrt(row["match_length"]) / 2000))
    assert row["deviation"] == pytest.approx((row["p_win"] - chance) / row["p_win_se"])
    assert np.sum(seen["deviation"] ** 2) == pytest.approx(
        formula.metadata["goodness_of_fit"]["chi_square"]
    )


def test_tables_carry_the_provenance_of_their_matches(tmp_path):
    matches, table = tmp_path / "matches.parquet", tmp_path / "points.csv"
    matches.write_bytes(b"rows")
    write_provenance(matches, engine={"version": "1.07.001"}, study="quick", rows=7, unheard_of=[1])
    reduced, _ = recommend()
    write_table(reduced, table, "study/points", **origin(table, matches, [matches]))
    facts = read_provenance(table)
    assert facts["matches"] == 7
    assert facts["rows"] == len(reduced)
    assert facts["matches_sha256"] == read_provenance(matches)["sha256"]
    assert (facts["engine"], facts["unheard_of"]) == ({"version": "1.07.001"}, [1])


def test_a_file_tells_why_a_study_has_no_formula(tmp_path):
    file = tmp_path / "formula.json"
    write_no_formula(file, "one pair is no line", {"study": "pairs"})
    with pytest.raises(NoFormulaError, match=r"formula.json.*one pair is no line") as error:
        read_formula(file)
    assert error.value.reason == "one pair is no line"
