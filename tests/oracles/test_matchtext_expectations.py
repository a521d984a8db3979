"""What another reader counted in the 1,318 shared texts, and where it and this reader differ."""

import csv
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bgmatch import read_matches, write_mat
from bgmatch.model import MatchFile, Verdict
from bgmatch.write import content_key, playable_games
from corpus import cases

pytestmark = pytest.mark.slow  # they read 1,318 texts
LASSE = "lassehjorthmadsen+bglab/lasse/match{}.txt"
NAMELESS_RIGHT = {LASSE.format(number) for number in (4148943, 4926796, 8474864)}
"""The right column has no name (" lasse : 0      : 0"): the other reader then found neither names
nor a score."""

RENAMED = {
    "BGChallengeAdmin+TheBackgammonChallenge/UKMatchBundlesByPlayer__Magriel__"
    "Magriel vs. Sahione 2003 Vegas SJ F 17-pt_1356941557.txt"
}
"""The left player is Magriel in game 1 and X22 after it: the other reader has the last name, this
one the first."""

PLAYED_TO_THE_LABEL = {LASSE.format(number) for number in (7986278, 8793474, 8062348, 8808604)}
"""Single unlimited games, which Galaxy labels with the most points they can cost ("16 point
match"). These were won with that many points, so the other reader took them for matches played out.
"""

SIDES = ("left", "right")
DUPLICATES = cases("values.duplicates")


@pytest.fixture(name="files", scope="module")
def _files(shared: Path) -> dict[str, MatchFile]:
    folder = shared / "matches"
    return {row["file"]: read_matches((folder / row["file"]).read_bytes()) for row in rows(shared)}


def rows(shared: Path) -> Iterator[dict[str, str]]:
    with (shared / "matches" / "expectations.csv").open(newline="", encoding="utf-8") as file:
        yield from csv.DictReader(file)


def resigned_row(shared: Path, file: str) -> bool:
    """Say whether the text ends in a row "Losses … Wins …", where the other saw no winner."""
    text = (shared / "matches" / file).read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.strip()]
    left, _, right = lines[-1].partition("Losses")
    return bool(right) and "Wins" in right and "Wins" not in left


def test_counts(shared: Path, files: dict[str, MatchFile]) -> None:
    wrong = []
    for row in rows(shared):
        (match,) = files[row["file"]].matches
        ours = (match.declared_length, len(match.games), match.rolls)
        theirs = (int(row["match_length"]), int(row["games_in_text"]), int(row["rolls_in_text"]))
        if ours != theirs:
            wrong.append((row["file"], ours, theirs))
    assert wrong == []


def test_names_and_ratings(shared: Path, files: dict[str, MatchFile]) -> None:
    wrong = set()
    for row in rows(shared):
        (match,) = files[row["file"]].matches
        names = [player.name for player in match.players]
        ratings = [f"{player.rating:.0f}" if player.rating else "" for player in match.players]
        if match.dialect != "gridgammon":  # the other reader took ratings from the score line only
            ratings = ["", ""]
        theirs = [row[f"{side}_{what}"] for what in ("name", "rating") for side in SIDES]
        if [*names, *ratings] != theirs:
            wrong.add(row["file"])
    assert wrong == NAMELESS_RIGHT | RENAMED


def test_scores_winners_and_completeness(shared: Path, files: dict[str, MatchFile]) -> None:
    wrong = set()
    for row in rows(shared):
        (match,) = files[row["file"]].matches
        winner = match.games[-1].result.winner
        is_over = match.complete and not match.unlimited
        complete = ("yes" if is_over else "no") if match.declared_length else ""
        scores = [str(points) for points in match.final_score]
        ours = [*scores, "" if winner is None else SIDES[winner], complete]
        columns = ("final_left_raw", "final_right_raw", "last_game_winner", "match_complete")
        if ours != [row[name] for name in columns]:
            wrong.add(row["file"])
    nobody = [row["file"] for row in rows(shared) if not row["last_game_winner"]]
    losses = {file for file in nobody if resigned_row(shared, file)}
    assert len(losses) > 150
    assert wrong - losses == NAMELESS_RIGHT | PLAYED_TO_THE_LABEL
    # The text names the winner, and with it the match or the unlimited game is over.
    for name in losses & wrong:
        (match,) = files[name].matches
        assert match.games[-1].result.winner == 1
        assert match.complete


def test_no_play_is_lost(files: dict[str, MatchFile]) -> None:
    """Out of 188,309 rolls few have no legal play in the text; each of the others was replayed."""
    odd: dict[str, list[str]] = {}
    for name, file in files.items():
        for game in file.matches[0].games:
            for action in game.actions:
                verdict = getattr(action, "verdict", Verdict.PLAYED)
                if verdict in {Verdict.ILLEGAL, Verdict.IMPOSSIBLE, Verdict.MISSING}:
                    odd.setdefault(Path(name).name, []).append(str(verdict))
    assert odd == {
        "Nori-Kenji081229.txt": ["illegal"] * 3,  # GamesGrid says so itself and gives the position
        "hQ8sVn2LbTdF4wRm.mat": ["illegal"] * 3,  # 65: 14/8 15/10 6/8; 63: 13/9 13/7; 41: 7/1
        "nicksbar-nori-2009Jan302316.txt": ["missing", "missing"],  # automatic, not recorded
        "doubles_hit_bearoff.mat": ["impossible"],  # made up: 21: 25/23 with nothing on the bar
    }


def test_clean_text_is_the_same_match(files: dict[str, MatchFile]) -> None:
    for name, file in files.items():
        (match,) = file.matches
        is_known = all(game.known == len(game.actions) for game in match.games)
        if playable_games(match) != match.games or not is_known:
            continue
        (again,) = read_matches(write_mat(match).encode()).matches
        # After the Crawford game a text for the engine begins with an empty game.
        again = replace(again, games=tuple(game for game in again.games if game.actions))
        assert content_key(again) == content_key(match), name
        winners = [[game.result.winner for game in one.games] for one in (again, match)]
        assert winners[0] == winners[1], name


def test_duplicates(files: dict[str, MatchFile]) -> None:
    found: dict[str, list[str]] = {}
    for name, file in files.items():
        found.setdefault(content_key(file.matches[0]), []).append(Path(name).name)
    pairs = sorted(sorted(names) for key, names in found.items() if key and len(names) > 1)
    assert pairs == DUPLICATES
