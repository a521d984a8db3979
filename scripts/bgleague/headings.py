"""What the columns of a list mean: by headings in many languages, else by the words of a heading.

words.toml has the headings and words.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import count, product, repeat
from pathlib import Path

from bgrating.suggestion import without_marks

WORDS = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
_CONCEPT: dict[str, str] = {}
for _concept, _text in WORDS["concepts"].items():
    _CONCEPT |= {word: _concept for word in _text.split() if word not in _CONCEPT}
_ORDINALS = {"first": "1", "second": "2"}
_FOUR_PLAYERS = set(map(frozenset, product("12", _ORDINALS)))


def plain(heading: str) -> str:
    """Return the letters and digits of a heading, without marks and capitals."""
    return "".join(letter for letter in without_marks(heading.lower()) if letter.isalnum())


def words_of(heading: str) -> list[str]:
    """Return the words and numbers of a heading, such as `winner` and `name` of winner_name and of
    WinnerName.
    """
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", without_marks(heading))
    return re.findall(r"[^\W\d_]+|\d+", spaced.lower())


def _concepts(heading: str) -> set[str]:
    """Return what the words of a heading stand for; `unknown` for a word that is not known."""
    return {_CONCEPT.get(word, "unknown") for word in words_of(heading)} - {"nothing"}


def _by_words(heading: str, ignored: str) -> str:
    """Return the meaning of a heading by its words, without an ignored concept.

    It is empty if a word is not known, or if the words say no one thing.
    """
    concepts = _concepts(heading) - {ignored}
    ordinals = concepts & _ORDINALS.keys()
    if ordinals and len(words_of(heading)) > 1:
        # Opponent 1 is the first player.
        concepts = concepts - ordinals - {"1", "2"} | {_ORDINALS[ordinal] for ordinal in ordinals}
    return str(WORDS["meanings"].get(" ".join(sorted(concepts)), ""))


def columns_of(head: Sequence[str]) -> dict[str, int]:
    """Return the columns of a list by meaning (`headings` of words.toml).

    Empty for a table that is no such list.

    Case, accents, spaces and punctuation of names do not matter. If two columns have the same name,
    the first is the first player's. A list needs two players and a score or a winner; their numbers
    stand for players without names. Other meanings: `score_won` and `score_lost` (of the winner and
    the loser), `target1` and `target2` (the points that each player needs), `handicap`.
    """
    # The first of two equal names gets a 1, the second a 2.
    twice = {name: count(1) for name, number in Counter(map(plain, head)).items() if number == 2}
    numbered = [f"{name} {next(twice.get(plain(name), repeat('')))}" for name in head]
    heading = list(map(plain, numbered))
    columns: dict[str, int] = {}
    for meaning, names in WORDS["headings"].items():
        indices = [heading.index(name) for name in names.split() if name in heading]
        if indices and indices[0] not in columns.values():
            columns[meaning] = indices[0]
    for ignored in ("", "id"):
        for index, name in enumerate(numbered):
            meaning = _by_words(name, ignored)
            if meaning and meaning not in columns and index not in columns.values():
                columns[meaning] = index
        if _is_list(columns):
            break
    if {"winner", "score_won", "score_lost"} <= columns.keys() and "score1" not in columns:
        columns["score1"] = columns.pop("score_won")
        columns["score2"] = columns.pop("score_lost")
    is_other = is_standing(head) or _has_four_players(head)
    return columns if _is_list(columns) and not is_other else {}


def _is_list(columns: Mapping[str, int]) -> bool:
    names = columns.keys()
    if {"winner", "loser"} <= names:
        return True
    has_players = {"player1", "player2"} <= names or (
        "players" in names and names.isdisjoint({"player1", "player2", "winner"})
    )
    return has_players and (
        {"score1", "score2"} <= names or not names.isdisjoint({"score", "winner", "outcome"})
    )


def is_standing(head: Sequence[str]) -> bool:
    """Tell whether a table has a row for each player.

    It has two of: one column of names, an order, counts of won and lost matches.
    """
    heading = [plain(name) for name in head]
    persons = [name for name in heading if name in WORDS["person"].split()]
    is_of_one = bool(persons) and len(persons) == len(set(persons))
    has_order = not set(WORDS["order"].split()).isdisjoint(heading)
    counts = set(WORDS["counts"].split()).intersection(heading)
    signs = [is_of_one, has_order, len(counts) > 1]
    is_of_matches = any(_concepts(name) in ({"2"}, {"winner"}, {"loser"}) for name in head)
    return sum(signs) > 1 and not is_of_matches


def _has_four_players(head: Sequence[str]) -> bool:
    return {frozenset(_concepts(name)) for name in head} >= _FOUR_PLAYERS


def other_table(head: Sequence[str]) -> str:
    """Return what a table is that has no games of two players, with the remedy; nothing if it may
    be any.
    """
    if _has_four_players(head):
        return "matches of two players a side, which are not rated"
    concepts = [_concepts(name) for name in head]
    if {"2"} in concepts and ({"score"} in concepts or {"result"} in concepts):
        return "one player's matches: add a column with that player's name"
    if is_standing(head):
        return "a standing, in which no games can be read: use the list of its matches alone"
    return ""
