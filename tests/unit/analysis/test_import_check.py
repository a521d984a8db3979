"""Every kind of difference between a reading and an import is named."""

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from bgrating.analysis.import_check import differences, expected_import
from bgrating.matchtext import read_matches
from bgrating.matchtext.model import Match
from corpus import data_text

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

# as gnubg gave it back for the clean text of this match
IMPORTED: dict[str, Any] = json.loads(data_text("imported.json"))


@pytest.fixture(name="match")
def _match() -> Match:
    return read_matches(TEXT.encode()).matches[0]


def compared(match: Match, imported: dict[str, Any]) -> list[str]:
    """Return the differences as an analysis finds them: a batch keeps what is expected as JSON."""
    return differences(json.loads(json.dumps(expected_import(match))), imported["length"], imported["games"])


def test_equal(match: Match) -> None:
    assert compared(match, IMPORTED) == []


def _actions(imported: dict[str, Any]) -> list[dict[str, Any]]:
    return imported["games"][0]["actions"]  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda m: m.update(length=5), "match length"),
        (lambda m: m.update(games=()), "games"),
        (lambda m: m["games"][0]["score"].update(X=1), "score 0-0"),
        (lambda m: m["games"][0].update(winner="X"), "won by right"),
        (lambda m: m["games"][0].update(winner=None), "nobody in the engine"),
        (lambda m: m["games"][0].update(points=4), "worth 2"),
        (lambda m: _actions(m)[0].update(dice=(4, 2)), "action 1"),
        (lambda m: _actions(m)[1].update(hops=((8, 5), (8, 7))), "action 2"),
        (lambda m: _actions(m)[1].update(seat="O"), "action 2"),
        (lambda m: _actions(m).pop(3), "action 4"),
        (lambda m: _actions(m).append({"kind": "double", "seat": "O"}), "action 11: nothing in the text"),
        (lambda m: _actions(m).pop(), "nothing in the engine"),
        (
            lambda m: _actions(m).insert(1, IMPORTED["games"][0]["actions"][0]),
            "action 2: left rolls",
        ),  # a roll repeated
    ],
)
def test_differences(match: Match, change: Callable[[dict[str, Any]], object], words: str) -> None:
    imported = copy.deepcopy(IMPORTED)
    change(imported)
    found = compared(match, imported)
    assert found
    assert any(words in sentence for sentence in found)
