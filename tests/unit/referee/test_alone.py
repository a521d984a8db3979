"""gnubg through the referee decides as gnubg does alone."""

from pathlib import Path

import pytest

from bgrating.engine.locate import Engine

from .alone import compare


@pytest.mark.slow
@pytest.mark.parametrize("length", [1, 3])
def test_gnubg_through_the_referee_plays_as_it_does_alone(engine: Engine, tmp_path: Path, length: int) -> None:
    """Play for play up to the first resignation; where nobody resigned results and statistics are equal too."""
    comparison = compare(engine, ("expert", "expert"), length, 10, 0, tmp_path)
    assert comparison.different == ()
    assert comparison.matches == 10
    assert comparison.figures > 50 * comparison.whole > 0
    assert comparison.actions > 200
    assert comparison.cubes > (10 if length > 1 else -1)
