import html

import numpy as np
import pandas as pd
import pytest

import simulated
from bgrating.pages.style import save
from played_by import played
from study.comparison import page as comparison
from study.comparison.page import comparison_page
from study.comparison.tables import tables
from study.report.figures import pairs

NOISE_1 = simulated.Player("expert+noise-1", 0.0, 1.0, 0.0, 0.12)


def given(studies, absent=()):
    made = tables(studies)
    part2 = studies.get("part2")
    facts = {"studies": {name: {"rows": len(study.matches)} for name, study in studies.items()}}
    return made, None if part2 is None else part2.formula, absent, facts


@pytest.fixture(scope="module")
def whole():
    rng = np.random.default_rng(2)
    part2 = simulated.study(rng, lengths=(3, 5), matches=60)
    pair = simulated.study(rng, lengths=(5,), matches=60, players=[NOISE_1])
    tables_of = {
        "part2": part2, "check-zadeh": part2[part2["match_length"] == 5], "appendix2": pair,
    }  # fmt: skip
    return given({name: played(name, table.reset_index(drop=True)) for name, table in tables_of.items()})


@pytest.mark.slow
def test_every_section_is_there_with_its_figures(whole, tmp_path):
    drawn = save([("out-of-sample", pairs(whole[0]["out_of_sample"], 0.9))], tmp_path)
    page = comparison_page(*whole, drawn)
    assert page.count("<img ") == 1
    assert "Not played yet" not in page
    assert page.count("<script") == 1
    assert "http" not in page.replace("http-equiv", "")


def test_what_moved_comes_first(whole):
    factors = [
        ("all together", "a2", 3, 0.98, 0.95, 1.02), ("all together", "a2", 5, 1.03, 0.98, 1.08),
        ("all together", "b", 3, 1.60, 1.45, 1.75), ("all together", "b", 5, 1.75, 1.59, 1.91),
        ("definition", "b", 3, 1.40, 1.37, 1.43),
    ]  # fmt: skip
    table = pd.DataFrame(factors, columns=["cause", "term", "match_length", "factor", "ci_low", "ci_high"])
    chequer, cube = comparison.in_short(table)
    assert "0.98 to 1.03" in chequer
    assert "no change" in chequer
    assert "1.60 to 1.75" in cube
    assert "larger at every length" in cube
    page = comparison_page(*whole, [])
    places = [page.index(f"<b>{html.escape(one)}</b>") for one in comparison.in_short(whole[0]["causes"])]
    assert len(places) == 2
    assert places == sorted(places)
    assert places[-1] < page.index("<h2>")


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ([(1.1, 1.3), (1.01, 1.2)], "larger at every length"),
        ([(0.5, 0.9)], "smaller at every length"),
        ([(0.9, 1.1), (0.8, 1.2)], "no change seen"),
        ([(1.1, 1.3), (0.8, 1.2)], "larger at 1, smaller at 0, unclear at 1 lengths"),
        ([(np.nan, np.nan), (0.8, 1.2)], "no change seen, undetermined at 1 lengths"),
        ([(np.nan, np.nan)], "larger at 0, smaller at 0, unclear at 0 lengths, undetermined at 1"),
    ],
)
def test_what_a_factor_shows(ends, said):
    assert comparison.effect(pd.DataFrame(ends, columns=["ci_low", "ci_high"])) == said
