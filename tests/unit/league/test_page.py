"""The page of a league."""

from pathlib import Path

import pytest

from bgrating.league.page import page, summary
from bgrating.league.run import rate_results
from bgrating.league.settings import RatingsSettings


@pytest.mark.parametrize("methods", [(), ("eloworld",), ("elo",)])
def test_every_choice_of_systems_has_a_page(tmp_path: Path, methods: tuple[str, ...]) -> None:
    results = "first,second,first_wins,second_wins\na,b,12,8\nb,a,9,11\na,c,15,5\nc,a,6,14\nb,c,12,8\nc,b,9,11\n"
    (tmp_path / "games.csv").write_text(results)
    text = page(rate_results(tmp_path / "games.csv", RatingsSettings(methods=methods) if methods else None), "x")
    assert ("<h2>Standing</h2>" in text) is (methods != ("eloworld",))
    assert "The other systems" in text


def test_the_answer_gives_shares_to_a_thousandth_and_ratings_to_a_point(tmp_path: Path) -> None:
    (tmp_path / "games.csv").write_text("first,second,first_wins,second_wins\na,b,2,1\nb,a,1,2\n")
    lines = {
        methods: summary(rate_results(tmp_path / "games.csv", RatingsSettings(methods=methods)), "x").splitlines()
        for methods in (("eloworld",), ("logistic",))
    }
    assert [line.split() for line in lines[("eloworld",)] if " a " in line] == [["1", "a", "4", "of", "6", "0.667"]]
    first = next(line.split() for line in lines[("logistic",)] if " a " in line)
    assert first[:6] == ["1", "a", "4", "of", "6", "1,563"]  # 200 log3(2) / 2 = 63 points from the mean
