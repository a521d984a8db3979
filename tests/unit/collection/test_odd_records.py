"""Records that are odd, and what the tables say of them: texts as writers leave them, the outcome as data."""

import pandas as pd
import pytest

from bgrating.collection.rate import require_matches
from bgrating.collection.readings import read_data
from bgrating.matchtext import read_matches, write_mat
from bgrating.matchtext.model import Match
from bgrating.settings import SettingsError
from corpus import cases
from records import accounted

GAME = """ Game {number}
 Ann : {left}                       Ben : {right}
  1) 31: 8/5 6/5                 62: 24/18 13/11
  2)  Doubles => 2                Drops
      Wins 1 point

"""
LAST = """ Game {number}
 Ann : {left}                       Ben : {right}
  1) 31: 8/5 6/5                 62: 24/18 13/11
{rows}"""


def text(
    *scores: tuple[int, int], length: int = 5, last: str = "      Wins 5 points and the match\n", head: str = ""
) -> str:
    """Return a match of games that begin at these scores; `last` are the rows that end the last of them."""
    games = [GAME.format(number=number, left=left, right=right) for number, (left, right) in enumerate(scores, 1)]
    left, right = scores[-1]
    games[-1] = LAST.format(number=len(scores), left=left, right=right, rows=last)
    return f"{head}\n {length} point match\n\n{''.join(games)}"


def match_of(written: str) -> Match:
    (match,) = read_matches(written.encode()).matches
    return match


@pytest.mark.parametrize(("scores", "is_counted"), cases("values.scores_that_count"))
def test_a_score_that_follows_from_a_known_chance_counts_as_a_result(
    scores: list[tuple[int, int]], is_counted: bool
) -> None:
    _, matches = accounted({"a.mat": text(*scores)})
    for name in ("actual_result", "luck_adjusted_result"):
        assert matches[name].notna().all() == is_counted
    reason = matches["reason"].iloc[0]
    assert ("luck-adjusted" in reason) == (not is_counted)


def test_nobody_won_a_match_whose_score_goes_backwards() -> None:
    _, matches = accounted({"a.mat": text((0, 0), (1, 0), (0, 0))})
    assert matches["won"].isna().all()


@pytest.mark.parametrize(
    ("last", "score"),
    [
        ("      Wins 2012 points and the match\n", (5, 0)),
        (f"{'':34}Wins 7 points and the match\n", (0, 5)),
    ],
)
def test_a_score_beyond_the_length_is_capped(last: str, score: tuple[int, int]) -> None:
    _, matches = accounted({"a.mat": text((0, 0), last=last)})
    assert tuple(matches["score"]) == score
    assert tuple(matches["opponent_score"]) == score[::-1]


@pytest.mark.parametrize("length", [0, 7])
def test_without_a_cube_no_cube_decision_is_counted(length: int) -> None:
    record, _ = read_data(text((0, 0), length=length, head='; [CubeLimit "1"]').encode(), ".mat")
    (match,) = record["matches"]
    assert any("the rating has no cube part" in warning for warning in match["warnings"])


def test_the_engine_is_told_that_there_is_no_cube() -> None:
    assert '; [CubeLimit "1"]' in write_mat(match_of(text((0, 0), head='; [CubeLimit "1"]')))


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        ((" Game 1\n", " Gaem 1\n"), "not understood: 'Gaem 1'"),
        (("31: 8/5 6/5", "31: 8/5 six/5"), "the play '8/5 six/5' cannot be read"),
    ],
)
def test_a_rejected_file_says_what_was_found_first(damage: tuple[str, str], told: str) -> None:
    found, _ = accounted({"a.mat": text((0, 0)).replace(*damage)})
    assert found["a.mat"][0] == "rejected"
    assert told in found["a.mat"][1]


@pytest.mark.parametrize(
    "rows",
    [[], [("a.txt", "rejected", "no match in it")], [("a.mat", "rejected", "empty"), ("b.mat", "duplicate", "")]],
)
def test_a_collection_without_a_match_is_refused(rows: list[tuple[str, str, str]]) -> None:
    files = pd.DataFrame(rows, columns=["file", "status", "reason"])
    with pytest.raises(SettingsError, match="no match could be read in here") as refused:
        require_matches(files, ["here"])
    assert all(reason in str(refused.value) for _, _, reason in rows)
    require_matches(pd.DataFrame([*rows, ("c.mat", "money", "")], columns=files.columns), ["here"])
