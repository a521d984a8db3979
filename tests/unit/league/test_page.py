"""The page of a league."""

from pathlib import Path

import pytest

from bgrating.league.page import page
from bgrating.league.run import rate_results
from bgrating.league.settings import RatingsSettings


@pytest.mark.parametrize("methods", [(), ("eloworld",), ("elo",)])
def test_every_choice_of_systems_has_a_page(tmp_path: Path, methods: tuple[str, ...]) -> None:
    results = "first,second,first_wins,second_wins\na,b,12,8\nb,a,9,11\na,c,15,5\nc,a,6,14\nb,c,12,8\nc,b,9,11\n"
    (tmp_path / "games.csv").write_text(results)
    text = page(rate_results(tmp_path / "games.csv", RatingsSettings(methods=methods) if methods else None), "x")
    assert ("<h2>Standing</h2>" in text) is (methods != ("eloworld",))
    assert "The other systems" in text
