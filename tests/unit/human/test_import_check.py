"""Every kind of difference between a reading and an import is named."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from bgrating.human.import_check import import_differences
from bgrating.matchtext import Match, read_matches

TEXT = """ 3 point match

 Game 1
 ann : 0                         bob : 0
  1)                             41: 13/9 24/23
  2) 31: 8/5 6/5                  Doubles => 2
  3)  Takes                      55: 13/8 13/8 13/8 13/8
  4) 63: 13/9 13/7               51: 9/4 6/5
  5) 42:
                                  Wins 2 points
"""

# as gnubg 1.07.001 gave it back for the clean text of this match
IMPORTED: dict[str, Any] = {
    "games": (
        {
            "game": (
                {"action": "move", "dice": (4, 1), "move": ((24, 23), (13, 9)), "player": "O"},
                {"action": "move", "dice": (3, 1), "move": ((8, 5), (6, 5)), "player": "X"},
                {"action": "double", "player": "O"},
                {"action": "take", "player": "X"},
                {"action": "move", "dice": (5, 5), "move": ((13, 8), (13, 8), (13, 8), (13, 8)), "player": "O"},
                {"action": "set", "dice": (6, 3), "player": "X"},
                {"action": "set", "board": "AAAA"},
                {"action": "move", "dice": (5, 1), "move": ((9, 4), (6, 5)), "player": "O"},
                {"action": "set", "dice": (4, 2), "player": "X"},
                {"action": "resign", "player": "X", "points": 1},
            ),
            "info": {"points-won": 2, "resigned": True, "score-O": 0, "score-X": 0, "winner": "O"},
        },
    ),
    "match-info": {"match-length": 3},
}


@pytest.fixture(name="match")
def _match() -> Match:
    return read_matches(TEXT.encode()).matches[0]


def test_equal(match: Match) -> None:
    assert import_differences(match, IMPORTED) == []


def test_no_import(match: Match) -> None:
    assert import_differences(match, None) == ["the engine imported no match"]


def _game(imported: dict[str, Any]) -> list[dict[str, Any]]:
    game = imported["games"][0]
    game["game"] = list(game["game"])
    return game["game"]  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda m: m["match-info"].update({"match-length": 5}), "match length"),
        (lambda m: m.update(games=()), "games"),
        (lambda m: m["games"][0]["info"].update({"score-X": 1}), "score 0-0"),
        (lambda m: m["games"][0]["info"].update(winner="X"), "won by right"),
        (lambda m: m["games"][0]["info"].pop("winner"), "by nobody"),
        (lambda m: m["games"][0]["info"].update({"points-won": 4}), "worth 2"),
        (lambda m: _game(m)[0].update(dice=(4, 2)), "action 1"),
        (lambda m: _game(m)[1].update(move=((8, 5), (8, 7))), "action 2"),
        (lambda m: _game(m)[1].update(player="O"), "action 2"),
        (lambda m: _game(m).pop(3), "action 4"),
        (lambda m: _game(m).append({"action": "double", "player": "O"}), "action 11: nothing in the text"),
        (lambda m: _game(m).pop(), "nothing in the engine"),
        (lambda m: _game(m).insert(1, IMPORTED["games"][0]["game"][0]), "action 2: 0 plays"),  # a roll repeated
    ],
)
def test_differences(match: Match, change: Callable[[dict[str, Any]], object], words: str) -> None:
    imported = copy.deepcopy(IMPORTED)
    change(imported)
    found = import_differences(match, imported)
    assert found
    assert any(words in sentence for sentence in found)
