"""A copy with one fact changed is one match: the better counts, both files are named."""

import random
from dataclasses import replace
from itertools import product
from pathlib import Path
from unittest.mock import Mock

import pytest

from bgmatch import write_mat
from bgrating.collection import copies
from bgrating.collection.copies import Copy, grouped
from bgrating.collection.match_record import FileRecord
from bgrating.collection.readings import read_data
from corpus import cases
from match_texts import mirrored, read
from records import accounted

EXAMPLES = Path(__file__).resolve().parents[4] / "examples"
WHOLE = (EXAMPLES / "2025-01-05-advanced-blunders-0.06.mat").read_text()
SOUND = "".join(
    line for line in WHOLE.splitlines(keepends=True) if '"2025' in line or not line.startswith(";")
)
LENGTH, LAST = " 5 point match", SOUND[SOUND.rindex(" Game ") :]


EITHER = {"play", "date"}
"""Facts of which nothing tells which of two copies is right."""


def changed(old: str, new: str) -> str:
    assert SOUND.count(old) >= 1, old
    return SOUND.replace(old, new, 1)


ONE_FACT = {
    name: (changed(old.replace("<last>", LAST), new), told)
    for name, old, new, told in cases("values.one_fact")
}


@pytest.mark.parametrize("fact", ONE_FACT)
def test_one_fact_changed_is_one_match_and_a_finding_that_names_both_files(fact: str) -> None:
    text, told = ONE_FACT[fact]
    kept = set()
    for names in (("a.mat", "b.mat"), ("b.mat", "a.mat")):
        found, matches = accounted(dict(zip(names, (SOUND, text), strict=True)))
        assert len(matches) == 2, found
        (counts,) = matches["file"].unique()
        (other,) = {"a.mat", "b.mat"} - {counts}
        kept.add(names.index(counts))
        assert found[other][0] == "duplicate"
        assert counts in found[other][1]
        assert found[counts][0] == "analysed with warnings"
        assert f"its copy {other} differs: " in found[counts][1]
        assert fact in EITHER or told in found[other][1]
    assert len(kept) == 1, "the names of the files decide"
    assert fact in EITHER or kept == {0}, "the worse copy counts"


def test_names_in_capitals_or_with_an_alias_are_the_same_players() -> None:
    play = ONE_FACT["play"][0]
    for name, aliases in (("ADVANCED", {}), ("Al", {"Al": "advanced"})):
        assert (
            len(
                accounted({"a.mat": SOUND, "b.mat": play.replace("advanced", name)}, "", aliases)[1]
            )
            == 2
        )
    assert len(accounted({"a.mat": SOUND, "b.mat": play.replace("advanced", "Al")})[1]) == 4


def test_columns_exchanged_and_a_play_changed_is_one_match() -> None:
    match = mirrored(read(SOUND))
    text = write_mat(match, (match.players[0].name, match.players[1].name))
    assert accounted({"a.mat": SOUND, "b.mat": text})[0]["a.mat"][0] in {"analysed", "duplicate"}
    text = text.replace("63: 25/22 9/3", "63: 25/22 13/7", 1)
    found, matches = accounted({"a.mat": SOUND, "b.mat": text})
    assert len(matches) == 2
    assert all(
        reason.endswith("game 1: other rolls, plays or score") for _, reason in found.values()
    )


def test_a_length_that_the_score_contradicts_does_not_count() -> None:
    """By the changed length the match was over before its last game, whatever its name."""
    short = changed(LENGTH, " 3 point match")
    found, matches = accounted({"a.mat": short, "b.mat": SOUND})
    assert matches["file"].unique().tolist() == ["b.mat"]
    assert "length 5 points, there 3 points" in found["b.mat"][1]


def test_the_next_best_copy_counts_where_the_engine_refuses_the_best() -> None:
    _, matches = accounted({"a.mat": SOUND, "b.mat": ONE_FACT["length"][0]}, refused="a.mat")
    assert matches["file"].unique().tolist() == ["b.mat"]


def test_a_game_of_a_match_is_a_part_of_it() -> None:
    found, matches = accounted({"a.mat": SOUND, "game.mat": LENGTH + "\n\n" + LAST})
    assert matches["file"].unique().tolist() == ["a.mat"]
    assert found["game.mat"][0] == "duplicate"


def test_two_matches_of_the_same_players_on_one_day_are_two() -> None:
    texts = {
        path.name: path.read_text().replace("2025.", "2024.").replace("01.", "02.")
        for path in EXAMPLES.glob("*advanced-noise-0.02.mat")
    }
    assert len(texts) > 1
    assert len(accounted(texts)[1]) == 2 * len(texts)


def test_thousands_of_matches_of_two_players_are_not_compared_pairwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng, found = random.Random(1), []
    rolls = [f"{one}{two}{play}" for one, two, play in product("123456", "123456", "ab")]
    (match,) = read_data(SOUND.encode(), "a.mat")[0].matches
    for number in range(1_000):
        games = [f"0-0 {' '.join(rng.choices(rolls, k=30))}" for _ in range(3)]
        if number % 100 == 1:
            first, second, third = found[-1].match.moves
            games = [first, second[:-3] + "xyz", third]
        changed = replace(match, key=str(number), content_key=str(number), moves=games, rolls=90)
        record = FileRecord(f"{number}.mat", matches=[changed])
        found.append(Copy(record, 1, changed, ("ann", "bob"), 0))
    compared = Mock(wraps=copies._are_alike)
    monkeypatch.setattr(copies, "_are_alike", compared)
    assert len(list(grouped(found))) == 990
    assert compared.call_count < 1_000
