import numpy as np
import pytest

import simulated
from bgrating.pages.style import absent
from fitted_study import study
from study.report.figures import figures


def equal_noise():
    return [simulated.Player(f"noise-{n}", n, n, n / 3, n) for n in (0.02, 0.04, 0.06)]


def texts(figure):
    return [
        text.get_text().replace("\n", " ") for text in figure.findobj(match=lambda artist: hasattr(artist, "get_text"))
    ]


@pytest.mark.parametrize("players", [{}, {"players": equal_noise()}])
def test_a_study_has_a_figure_of_the_coefficients_and_one_of_the_agreement(players):
    drawn = dict(figures(*study(**players)))
    assert list(drawn) == ["coefficients", "agreement"]
    assert any("90% intervals" in text for text in texts(drawn["agreement"]))
    assert {"3 points", "7 points"} <= set(texts(drawn["agreement"]))


def test_measured_values_and_intervals_are_those_of_the_table():
    reduced, *rest = study(lengths=(5,))
    figure = dict(figures(reduced, *rest))["agreement"]
    mine = reduced[reduced["method"] == "control-variate"]
    drawn = figure.axes[0].containers[0]
    np.testing.assert_allclose(drawn.lines[0].get_ydata(), mine["rating_difference"])
    spans = np.array([segment[:, 1] for segment in drawn.lines[2][0].get_segments()])
    np.testing.assert_allclose(spans, mine[["ci_low", "ci_high"]])


def test_a_point_without_a_rating_difference_is_named():
    def lose(table):
        lost = table["player"] == "noise-0.06+noise-0.8"
        return table.assign(
            actual_result=table["actual_result"].where(~lost, -0.5),
            player_luck_mwc=table["player_luck_mwc"].where(~lost, 0.01),
        )

    reduced, *rest = study(lengths=(5,), change=lose)
    mine = reduced[reduced["method"] == "control-variate"]
    assert mine["rating_difference"].isna().sum() == 1
    words = texts(dict(figures(reduced, *rest))["agreement"])
    assert any("Not drawn: noise-0.06+noise-0.8 at 5 points (chance at or below 0" in text for text in words)
    assert absent(mine.dropna(subset=["rating_difference"])) == ""
