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


@pytest.mark.parametrize("nets", ["1.08", "1.07.001"])
def test_what_is_kept_allows_for_one(nets: str) -> None:
    scale = people_scale(nets)
    assert scale.low < scale.estimate < scale.high
    assert f"{scale.estimate:.2f}" in scale.words


def test_nets_without_people_are_taken_as_they_are() -> None:
    assert people_scale("9.9").widened(100.0, 90.0, 120.0) == pytest.approx((90.0, 120.0))
