import numpy as np
import pandas as pd
import pytest

import simulated
from bgrating.compare.sources import Played
from bgrating.compare.tables import tables
from bgrating.figures.moved import figures
from bgrating.figures.style import save
from bgrating.model.catalogue import fit_all
from bgrating.model.coefficients import coefficients
from bgrating.model.points import points
from bgrating.model.published import published_formula
from bgrating.model.recommended import recommended
from bgrating.model.regressions import UndeterminedError
from bgrating.report import comparison
from bgrating.report.comparison import Comparison
from bgrating.report.comparison_page import comparison_page
from bgrating.report.words import ABSENT

KINDS = ["ols", "probability", "joint-probability", "joint-probability-clustered"]
NOISE_1 = simulated.Player("expert+noise-1", 0.0, 1.0, 0.0, 0.12)


def played(name, matches):
    reduced = points(matches)
    results = list(fit_all(reduced, [], KINDS))
    try:
        formula = recommended(results, reduced, 0.9, {"study": name})
    except UndeterminedError:
        formula = None
    return Played(name, matches, reduced, coefficients(results), formula, {"analysis": {"name": "0-ply"}})


def given(studies, absent=()):
    made, other = tables(studies)
    part2 = studies.get("part2")
    held = {name: len(study.matches) for name, study in studies.items()}
    formula = None if part2 is None else part2.formula
    return Comparison(made, formula, other, published_formula("bilinear"), held, absent, {"code": "x"})


@pytest.fixture(scope="module")
def whole():
    rng = np.random.default_rng(2)
    part2 = simulated.study(rng, lengths=(3, 5), matches=60)
    pair = simulated.study(rng, lengths=(5,), matches=60, players=[NOISE_1])
    depth = simulated.study(
        rng, lengths=(5,), matches=40, players=[simulated.Player("advanced", 0.015, 0.015, 0.01, 0.01)]
    )
    depth = depth.assign(rolls=50)
    odd = [simulated.Player(n, x, x, x, x / 3) for n, x in (("beginner", 0.06), ("intermediate", 0.04), ("low", 0.02))]
    part1 = pd.concat(
        [
            simulated.study(rng, lengths=(1, 3), matches=60, players=odd),
            simulated.study(rng, lengths=(1, 3), matches=60, players=odd[:1], opponent=odd[1]),
        ],
        ignore_index=True,
    )
    tables_of = {
        "part1": part1, "part2": part2, "check-zadeh": part2[part2["match_length"] == 5], "appendix2": pair,
        "check-analysis-0-ply": depth, "check-analysis-2-ply": depth,
    }  # fmt: skip
    return given({name: played(name, table.reset_index(drop=True)) for name, table in tables_of.items()})


def test_every_section_is_there_with_its_figures(whole, tmp_path):
    for name, figure in figures(whole.tables, whole.published):
        save(figure, tmp_path, name)
    drawn = sorted(tmp_path.glob("*.svg"))
    assert [path.stem for path in drawn] == ["cube-only", "moved", "out-of-sample", "rivals"]
    page = comparison_page(whole, drawn)
    assert page.count("<img ") == 4
    assert "Not played yet" not in page
    assert "<script" not in page
    assert "http" not in page.replace("http-equiv", "")
    row = next(
        r for r in comparison.coefficients(whole.tables["coefficients"]) if (r["term"], r["length"]) == ("b", "5")
    )
    assert row["published"] == "759"
    for text in (row["recommended"], row["published_2003"], row["alone"]):
        assert text in page
    assert page.count('class="recommended"') == 1


def test_a_part_that_is_absent_is_named_in_its_section():
    empty = given({}, ("part1", "part2", "appendix2", "check-zadeh", "check-analysis-2-ply", "check-both-noisy"))
    page = comparison_page(empty, [])
    for said in (
        "Not played yet: part1, part2, appendix2, check-zadeh, check-analysis-2-ply, check-both-noisy.",
        "Not played yet: check-zadeh (match-equity table).",
        "Not played yet: appendix2 (these pairs today).",
        "Not played yet: appendix2, check-both-noisy.",
        "Not played yet: check-analysis-2-ply.",
    ):
        assert said in page
    assert list(figures(empty.tables, empty.published)) == []
    assert comparison.summary(empty, "r.html").splitlines()[1].startswith("Not played yet: part1, part2,")


def test_gnubgs_loss_beside_the_fitted_one(whole):
    row = next(r for r in comparison.losses(whole.fitted, whole.published) if (r["length"], r["epc"]) == ("5", "100.0"))
    assert row["gnubg"] == "76"  # (863 - 519 / 5) 0.1
    assert row["found"].startswith(f"{whole.fitted.coefficient('b', 5)[0] * 0.1:.0f} ")


def test_the_papers_own_pairs_beside_its_own_formula(whole):
    rows = {row["pair"]: row for row in comparison.paper_cube(whole.tables["cube_only"], whole.published)}
    row = rows["expert+noise-1 against expert, 5 points"]
    assert (row["rating"], row["formula"], row["b"]) == ("191 [176, 206]", "146", "995")  # 759.2 * 0.192, 191 / 0.192
    assert row["rating_today"] != ABSENT
    assert rows["expert+beginner against expert, 11 points"]["rating_today"] == ABSENT


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ([(1.1, 1.3), (1.01, 1.2)], "larger at every length"),
        ([(0.5, 0.9)], "smaller at every length"),
        ([(0.9, 1.1), (0.8, 1.2)], "no change seen"),
        ([(1.1, 1.3), (0.8, 1.2)], "larger at 1, smaller at 0, unclear at 1 lengths"),
    ],
)
def test_what_a_factor_shows(ends, said):
    assert comparison.effect(pd.DataFrame(ends, columns=["ci_low", "ci_high"])) == said
