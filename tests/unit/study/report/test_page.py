import html as markup
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import simulated_studies as simulated
from corpus import data_text
from made_up_studies import BY_HAND, played
from study.beside_2003 import beside_published
from study.formula.design_points import points
from study.report.figures import lines, save
from study.report.page import contents, html, of_pairs, summary

ENGINE = {"version": "1.07.001", "checksums": {"gnubg.weights": "feedbeef"}}
PROVENANCE = {"engine": ENGINE, "study_seed": 2003, "something_new": ["a", 1]}


def make(lengths=(3, 7), players=None, change=lambda table: table):
    table = simulated.study(np.random.default_rng(1), lengths=lengths, matches=40, players=players)
    return played("test", change(table))


def contents_of(study, law=None):
    return contents("test", study.points, study.coefficients, study.formula, law)


def page(study, folder, law=None):
    figure = save(lines(study.coefficients, study.formula), folder / "coefficients.svg")
    return html(contents_of(study, law), figure, PROVENANCE)


def said(study):
    return summary(contents_of(study), Path("r"))


@pytest.fixture(scope="module")
def study():
    return make()


def plain(text):
    return re.sub(r"\s+", " ", markup.unescape(re.sub(r"<[^>]*>", " ", text)))


def test_the_page_holds_the_formula_beside_the_published_one(study, tmp_path):
    text = plain(page(study, tmp_path))
    a2, error = study.formula.coefficient("a2", 3)
    half = study.formula.half_width(error)
    assert f"{a2:,.0f} [{a2 - half:,.0f}, {a2 + half:,.0f}]" in text
    published = 863 - 519 / 3
    index = ["model", "epc_definition", "term", "match_length"]
    ours = study.coefficients.set_index(index)["estimate"]["bilinear-ols", "2003-averaged", "b", 3]
    assert f"{published:,.0f} {ours / published:.2f}" in text
    fit = study.formula.metadata["goodness_of_fit"]
    assert f"chi-square of {fit['chi_square']:.0f} on {fit['dof']} degrees of freedom" in text
    assert f"{2 * 16 * 40:,} matches at 3 and 7 points" in text


def test_the_formula_of_the_study_comes_first_and_the_shipped_one_stands_beside_it(study, tmp_path):
    terms = ("a2_const", "a2_inv", "a2_one", "b_const")
    estimate = np.array([10142.2, 21862.7, 33885.3, 9016.0])
    facts = {"n_matches": 55138, "studies": ["part2", "part1"], "limit": 450.0}
    facts |= {"goodness_of_fit": {"chi_square": 84.6, "dof": 78}}
    facts |= {"count": "EPC here is per unforced move"}
    law = replace(study.formula, terms=terms, estimate=estimate, metadata=facts)
    text = plain(page(study, tmp_path, law))
    first, _, beside = text.partition("Beside the formula that is shipped")
    equation = "a2(N) = 10,142 + 21,863 / N (33,885 at 1 point); b(N) = 9,016 at every match length"
    assert f"R = a2(N) × EPM + b(N) × (cube error): {equation}" in beside
    assert "55,138 matches of part2, part1 where it predicts less than 450 points" in beside
    assert "a chi-square of 85 on 78." in beside
    fit = study.formula.metadata["goodness_of_fit"]
    figures = f"a chi-square of {fit['chi_square']:.0f} on {fit['dof']}"
    assert f"That is the formula of this study, {figures}" in first
    assert "The design decides how it is fitted, before any result: all lengths at once" in first


def test_the_page_tells_a_misfit(study, tmp_path):
    misfit = {"chi_square": 99.0, "dof": 28, "p_value": 1e-9}
    facts = study.formula.metadata | {"goodness_of_fit": misfit}
    facts["left_out"] = ["5 points, x against y: why"]
    bent = replace(study, formula=replace(study.formula, metadata=facts))
    text = plain(page(bent, tmp_path))
    assert "more than chance explains" in text
    assert "Left out of the fit: 5 points, x against y: why." in text
    assert "Left out: 5 points, x against y: why." in said(bent)


def test_a_study_of_too_few_matches_says_so(study, tmp_path):
    unsure = replace(study.formula, covariance=1e6 * study.formula.covariance)
    vague = replace(study, formula=unsure)
    expected = "too few: the intervals of a2(3), a2(7) hold 0. It shows that the steps work."
    assert expected in plain(page(vague, tmp_path))
    assert expected in said(vague)
    assert "too few" not in plain(page(study, tmp_path))


def test_the_summary_to_the_letter():
    facts = {"model": "bilinear-joint-probability", "method": "control-variate"}
    facts |= {"n_matches": 2880, "left_out": []}
    facts["goodness_of_fit"] = {"chi_square": 51.2, "dof": 44, "p_value": 0.21}
    formula = replace(BY_HAND, match_lengths=(5,), metadata=facts)
    names = ["model", "epc_definition", "match_length", "term"]
    names += ["estimate", "ci_low", "ci_high", "value_2003"]
    fits = [
        ("bilinear-ols", "2003-averaged", 5, "a2", 13000.0, 12500.0, 13500.0, 13903.2),
        ("bilinear-ols", "2003-averaged", 5, "b", 800.0, 700.0, 900.0, 759.2),
        ("bilinear-ols", "2003", 5, "b", 1800.0, 1700.0, 1900.0, np.nan),
    ]
    about = contents("quick", pd.DataFrame(), pd.DataFrame(fits, columns=names), formula, None)
    # Half-widths by hand: 1.680230 times hypot(100, 100) and hypot(20, 10).
    assert summary(about, Path("results/quick/report.html")) == data_text("texts/summary.txt")


def test_pairs_of_players_are_set_beside_the_published(tmp_path):
    player = simulated.Player("expert+noise-1", 0.0, 1.0, 0.0, 0.12)
    table = simulated.study(np.random.default_rng(1), lengths=(5,), matches=200, players=[player])
    rows = beside_published(points(table))
    made = of_pairs(rows, "too few <pairs>", tmp_path / "appendix2" / "report.html", PROVENANCE)
    text = made.html
    assert "few &lt;pairs&gt;" in text
    assert "191 [176, 206]" in plain(text)
    sentence = "The study 'appendix2' has no formula: too few <pairs>. It has 200 matches.\n"
    assert made.summary.startswith(sentence)
