"""The scale's uncertainty in intervals of differences."""

import pytest

from bgrating.rating.scale import PeopleScale, people_scale


def test_an_interval_is_widened_by_the_scale_alone_where_nothing_else_is_unsure() -> None:
    scale = PeopleScale(1.1, 0.9, 1.3)
    assert scale.widened(100.0, 100.0, 100.0) == pytest.approx((90.0, 130.0))
    assert scale.widened(-100.0, -100.0, -100.0) == pytest.approx((-130.0, -90.0))
    assert scale.widened(0.0, -5.0, 5.0) == pytest.approx((-5.0, 5.0))
    assert scale.widened(100.0, 60.0, 160.0) == pytest.approx(
        (100 - (40**2 + 10**2) ** 0.5, 100 + (60**2 + 30**2) ** 0.5)
    )


def test_a_scale_above_one_moves_no_end_inwards() -> None:
    assert PeopleScale(1.3, 1.1, 1.5).widened(100.0, 90.0, 110.0)[0] == pytest.approx(90.0)


def test_what_is_kept_has_an_interval_and_a_sentence() -> None:
    scale = people_scale()
    assert scale.low < scale.estimate < scale.high
    assert f"{scale.estimate:.2f}" in scale.words
