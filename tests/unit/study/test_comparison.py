"""Coefficients over the published ones, single pairs, and their page, over simulated studies."""

import html
import re

import numpy as np
import pytest

import simulated
from bgrating.tables.provenance import one_provenance
from bgrating.tables.tables import write_all
from played_by import played
from study.comparison import TABLES, causes, out_of_sample, tables
from study.report import comparison
from study.report.comparison import in_short
from study.style import save

PAIR = simulated.Player("expert+beginner", 0.0, 0.06, 0.0, 0.02)


@pytest.fixture(scope="module")
def part2():
    return played("part2", simulated.study(np.random.default_rng(2), lengths=(3, 5), matches=150))


@pytest.fixture(scope="module")
def appendix():
    return played("appendix2", simulated.study(np.random.default_rng(7), lengths=(5,), matches=300, players=[PAIR]))


def test_coefficients_stand_over_the_published_ones(part2):
    zadeh = played("check-zadeh", simulated.study(np.random.default_rng(9), lengths=(5,), matches=100))
    table = causes(part2, zadeh).set_index(["cause", "term", "match_length"])
    total = table.loc[("all together", "b", 5)]
    assert total["reference"] == pytest.approx(863 - 519 / 5)
    assert total["factor"] == pytest.approx(total["value"] / total["reference"])
    assert total["ci_low"] < 1 < total["ci_high"]  # the simulated truth is the published formula
    # Four more in ten close decisions by the rule of 2003: b rises by that much, a2 does not.
    old = table.loc["count of 2003"]["factor"] / table.loc["all together"]["factor"]
    assert old["b", 5] == pytest.approx(1.4, abs=0.05)
    assert old["a2", 5] == pytest.approx(1, abs=0.02)
    rest = table.loc[("what is left", "b", 5)]
    mine = zadeh.coefficients.query(
        "model == 'bilinear-ols' and method == 'luck-adjusted' and epc_definition == '2003'"
    )
    mine = mine[(mine["term"] == "b") & (mine["match_length"] == 5)].iloc[0]
    assert rest[["factor", "ci_low", "ci_high"]].to_list() == pytest.approx(
        [mine[name] / 759.2 for name in ("estimate", "ci_low", "ci_high")]
    )


def test_pairs_are_predicted_from_their_own_rates(part2, appendix):
    formula = part2.formula
    row = out_of_sample([appendix], formula).iloc[0]
    assert row["predicted"] == pytest.approx(formula.coefficient("b", 5)[0] * row["epc"], abs=1e-6)
    spread = np.hypot(row["rating_difference_se"], row["predicted_se"])
    assert row["deviation"] == pytest.approx((row["rating_difference"] - row["predicted"]) / spread)
    assert (row["published_low"], row["published_high"]) == (21, 41)
    assert np.isnan(out_of_sample([appendix], None).iloc[0]["predicted"])


def test_studies_not_played_leave_their_tables_without_rows(part2):
    none = tables({})
    assert list(none) == list(TABLES)
    assert all(table.empty for table in none.values())
    some = tables({"part2": part2})
    assert {name for name, table in some.items() if table.empty} == {"out_of_sample"}


def test_the_page_begins_with_what_moved(part2, appendix, tmp_path):
    made = tables({"part2": part2, "appendix2": appendix})
    folder = tmp_path / "comparison"
    folder.mkdir()
    with one_provenance(folder / "compare.provenance.json"):
        write_all(made, folder, "comparison", studies={"appendix2": {"rows": 4800}})
    made_page = comparison.made(folder)
    page = made_page.html(save(made_page.figures, tmp_path))
    assert page.count("<img ") == page.count("<script") == 1
    assert re.search("Not played yet: .*check-zadeh", page)
    assert "http" not in page.replace("http-equiv", "")
    chequer, cube = in_short(made["causes"])
    assert page.index(html.escape(chequer)) < page.index(html.escape(cube)) < page.index("<h2>")
    factors = made["causes"].query("cause == 'all together' and term == 'b'")["factor"].round(2)
    assert f"cost {factors.min():.2f} to {factors.max():.2f} times" in cube
