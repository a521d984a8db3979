import numpy as np
import pytest

import simulated
from bgrating.pages.style import absent
from fitted_study import study
from study.report.figures import figures, least_squares_line


def equal_noise():
    return [simulated.Player(f"noise-{n}", n, n, n / 3, n) for n in (0.02, 0.04, 0.06)]


def texts(figure):
    return [
        text.get_text().replace("\n", " ") for text in figure.findobj(match=lambda artist: hasattr(artist, "get_text"))
    ]


def test_a_study_of_two_noises_has_a_figure_a_length_and_two_for_all():
    drawn = dict(figures(*study()))
    assert list(drawn) == ["rating-03", "rating-07", "coefficients", "agreement"]
    words = texts(drawn["rating-03"])
    assert sum(text.startswith("cube noise ") for text in words) == 1  # the topmost series names what varies
    assert any("90% intervals" in text for text in words)


def test_a_study_of_one_noise_has_the_linear_figures():
    drawn = dict(figures(*study(players=equal_noise())))
    assert list(drawn) == ["rating-03", "rating-07", "rating-all", "coefficients", "agreement"]
    assert "2003: 19,865" in texts(drawn["rating-03"])  # 11971 + 23681 / 3
    assert {"3 points", "7 points"} <= set(texts(drawn["rating-all"]))


def test_one_length_alone_is_drawn_without_a_line():
    drawn = dict(figures(*study(lengths=(5,))))
    assert list(drawn) == ["rating-05", "coefficients", "agreement"]
    words = texts(drawn["coefficients"])
    assert "published" in words
    assert "found" not in words


def test_measured_values_and_intervals_are_those_of_the_table():
    reduced, *rest = study(lengths=(5,))
    figure = dict(figures(reduced, *rest))["agreement"]
    mine = reduced[reduced["method"] == "control-variate"]
    drawn = figure.axes[0].containers[0]
    np.testing.assert_allclose(drawn.lines[0].get_ydata(), mine["rating_difference"])
    spans = np.array([segment[:, 1] for segment in drawn.lines[2][0].get_segments()])
    np.testing.assert_allclose(spans, mine[["ci_low", "ci_high"]])


def test_the_line_of_one_length_is_the_least_squares_line_of_its_points():
    reduced, table, _, _ = study(players=equal_noise())
    line = least_squares_line(table, "control-variate", 7)
    mine = reduced[(reduced["method"] == "control-variate") & (reduced["match_length"] == 7)]
    x, y = mine["depd"].to_numpy(), mine["rating_difference"].to_numpy()
    assert line["estimate"] == pytest.approx(x @ y / (x @ x), rel=1e-9)
    assert least_squares_line(table, "control-variate", 11) is None


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
    words = texts(dict(figures(reduced, *rest))["rating-05"])
    assert any("Not drawn: noise-0.06+noise-0.8 at 5 points (chance at or below 0" in text for text in words)
    assert absent(mine.dropna(subset=["rating_difference"])) == ""


def test_open_ends_are_arrows():
    reduced, *rest = study(lengths=(5,))
    for name in ("ci_high", "ci_low"):
        reduced[name] = np.where(reduced["player"] == "expert+noise-0.4", np.nan, reduced[name])
    figure = dict(figures(reduced, *rest))["agreement"]
    arrows = [a for a in figure.axes[0].texts if a.get_text() == "" and a.arrow_patch is not None]
    assert len(arrows) == 2
