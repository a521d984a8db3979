"""Files of other programs: beside their texts, facts held twice, and damaged files."""

import gzip
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from bgmatch import read_matches, read_saved
from bgmatch.formats.bgf import MAX_EXPANDED, _game
from bgmatch.formats.program_file import SavedError, roll
from bgmatch.formats.saved import read_file
from bgmatch.model import Match
from bgmatch.rows import PlayText, play_text
from bgmatch.write import content_key
from saved_files import bgf_of, gvab_of, ogxm_of, smile
from text_tokens import is_sound

ANALYSED, TEXTS = "lassehjorthmadsen+gnubg-scripts/oracle", "lassehjorthmadsen+bglab/lasse"
WRITERS: dict[str, Callable[[Match], bytes]] = {".bgf": bgf_of, ".ogxm": ogxm_of, ".gvab": gvab_of}


@cache
def sound(shared: Path, count: int) -> list[Match]:
    paths = sorted(
        path for path in (shared / "matches").rglob("*") if path.suffix in {".mat", ".txt"}
    )
    random.Random(1).shuffle(paths)
    matches: list[Match] = []
    for path in paths:
        if len(matches) < count and is_sound(data := path.read_bytes()):
            matches += [one for one in read_matches(data).matches if not one.unlimited]
    return matches


def outcome(match: Match) -> list[object]:
    names = [player.name for player in match.players]
    score, winner = match.final_score, match.winner
    if names != sorted(names):  # gvformat orders the players by their names
        names, score = names[::-1], score[::-1]
        winner = None if winner is None else 1 - winner
    return [content_key(match), match.match_length, names, score, winner, match.complete]


@pytest.mark.parametrize(
    ("suffix", "number"),
    [(".bgf", 12), (".ogxm", 12), (".gvab", 12), pytest.param(".bgf", 200, marks=pytest.mark.slow)],
)
def test_matches_that_are_written_and_read_back_are_the_same(
    shared: Path, suffix: str, number: int
) -> None:
    """The two others are written by gvformat."""
    for match in sound(shared, number):
        read, figures = read_saved(WRITERS[suffix](match), suffix)
        assert outcome(read) == outcome(match)
        assert (read.findings, figures) == ((), None)
        assert suffix != ".bgf" or (read.dialect, read.date) == ("bgblitz", match.date)


@pytest.mark.parametrize(
    ("sgf", "twin"),
    [
        *(
            (f"{ANALYSED}/{name}_analyzed.sgf", f"{TEXTS}/{name}.txt")
            for name in ("match1484923", "match1486073")
        ),
        (
            "kevung+gbf/charlot1-charlot2_7p_2025-11-08-2305.sgf",
            "kevung+gbf/charlot1-charlot2_7p_2025-11-08-2305.mat",
        ),
    ],
)
def test_an_sgf_and_its_text_are_equal(shared: Path, sgf: str, twin: str) -> None:
    read, _ = read_saved((shared / "matches" / sgf).read_bytes(), ".sgf")
    (text,) = read_matches((shared / "matches" / twin).read_bytes()).matches
    assert outcome(read) == outcome(text)
    assert read.findings == ()


def test_an_sgf_of_another_program_is_read(shared: Path) -> None:
    (path,) = (shared / "matches" / "alcacoop+it.alcacoop.backgammon").glob("*.sgf")
    match, figures = read_saved(path.read_bytes(), ".sgf")
    assert [player.name for player in match.players] == ["AI(5)", "PL1"]
    assert (match.final_score, match.rolls, figures) == ((2, 0), 40, None)
    assert [finding.code for finding in match.findings] == ["incomplete"]


def test_a_play_from_a_point_that_there_is_not_cannot_be_read() -> None:
    for moves in ([(30, 24), (8, 7)], [(8, 7), (3, -2)]):
        assert play_text(roll(0, (6, 1), moves).text).kind == "garbled"
    cell = roll(0, (6, 1), [(1, 0), (25, 19)])
    assert cell.text == "25/19 1/0"
    assert play_text(cell.text) == PlayText("moves", ((25, 19), (1, 0)))


def refused(data: bytes, suffix: str) -> str:
    with pytest.raises(SavedError) as problem:
        read_file(data, suffix)
    assert "\n" not in str(problem.value)
    return str(problem.value)


def test_a_file_that_cannot_be_checked_is_refused(shared: Path) -> None:
    (path,) = (shared / "matches" / "alcacoop+it.alcacoop.backgammon").glob("*.sgf")
    data, first = path.read_bytes(), b";B[43lplo]"
    for other, words in (
        (data.replace(b"RU[Crawford]", b"RU[Crawford:Nackgammon]"), "the rule Nackgammon"),
        (data.replace(first, b";AW[f]AB[s];B[43lplo]", 1), "a set position"),
        (data[:400], "damaged"),
        (data.replace(first, b";B[43lploq]", 1), "(the action 43lp"),
        (data.replace(first, b";B[43lplo\n;W[x]", 1), "(the action 43lplo ;W[x"),
        (data.replace(first, b";B[04lplo]", 1), "a roll of 04"),
        (b"(;FF[4]GM[1]PB[Ann]PW[Ben];B[pd])", "without its match length"),
        (b"nothing", "holds no game"),
    ):
        assert words in refused(other, ".sgf")


def test_a_wrong_score_or_position_is_found(shared: Path) -> None:
    (match,) = sound(shared, 1)
    data = bgf_of(match, packed=False)
    points = smile({"wonPoints": match.games[0].result.points})[1:-1]
    other = data.replace(points, smile({"wonPoints": 7})[1:-1], 1)
    assert other != data
    codes = {finding.code for finding in read_saved(other, ".bgf")[0].findings}
    assert codes & {"score", "points", "final-score"}
    text = data.replace(smile(-5) + smile(0), smile(-4) + smile(0), 1)
    assert text != data
    assert "contradict its positions" in refused(text, ".bgf")


@pytest.mark.parametrize("suffix", list(WRITERS))
def test_damaged_files_are_refused_with_a_sentence(shared: Path, suffix: str) -> None:
    rng = random.Random(2)
    (match,) = sound(shared, 1)
    data = WRITERS[suffix](match)
    for _ in range(40):
        assert "export the match as text" in refused(data[: rng.randrange(len(data))], suffix)
    assert refused(b"", suffix)
    assert refused(bytes(2_000_000), suffix)


def test_a_game_without_a_position_begins_at_0_0() -> None:
    empty = {"plies": [], "winner": None, "points_won": 0, "is_crawford": False}
    assert _game(empty).score == (0, 0)


def test_a_bgf_that_expands_is_refused_before_it_does() -> None:
    bomb = b'{"format": "BGF"}\n' + gzip.compress(bytes(4 * MAX_EXPANDED))
    assert "expands to more than" in refused(bomb, ".bgf")
    nested = b'{"format": "BGF"}\n:)\n\0' + b"\xf8" * 100_000
    assert "damaged" in refused(nested, ".bgf")


def test_of_variations_in_an_sgf_the_first_is_the_game(shared: Path) -> None:
    """gnubg reads the same, and blanks behind a roll that cannot be played."""
    data = (shared / "cases" / "resign-nodes.sgf").read_bytes()
    match, _ = read_saved(data, ".sgf")
    varied = data.replace(b"\n;B[61ya]", b"\n(;B[61ya]", 1)
    varied = varied.replace(b";W[accept])", b";W[accept])(;B[61yb];W[21yxki]))", 1)
    blank = data.replace(b";B[65]", b";B[65 ]")
    assert len({data, varied, blank}) == 3
    for other in (varied, blank):
        assert read_saved(other, ".sgf")[0] == match
