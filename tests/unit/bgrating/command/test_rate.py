"""What `rate` tells on a terminal."""

import pytest

from bgrating.command.rate import _duration
from corpus import cases


@pytest.mark.parametrize(("seconds", "clock"), cases("values.durations"))
def test_the_time_left_reads_as_a_clock(seconds: float, clock: str) -> None:
    assert _duration(seconds) == clock
