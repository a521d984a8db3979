"""Files of JavaFIBS and Gibbon: a match that is written as one of them is read as the same match."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bgrating.files.program_file import SavedError
from bgrating.files.read import read_saved
from bgrating.matchtext import read_matches
from bgrating.matchtext.model import LEFT, CubeAction, Ending, Game, Match, Roll
from bgrating.matchtext.write import content_key
from corpus import cases
from records import accounted


@pytest.fixture(name="match", scope="module")
def _match(shared: Path) -> Match:
    (match,) = read_matches((shared / "cases" / "base.mat").read_bytes()).matches
    return match


def point(number: int, *, upwards: bool, bar: str) -> str:
    """Return a point as FIBS counts it for a side."""
    if number in {0, 25}:
        return bar if number else "off"
    return str(25 - number if upwards else number)


def hops(action: Roll, sign: str, *, upwards: bool) -> str:
    return " ".join(sign.join(point(end, upwards=upwards, bar="bar") for end in hop) for hop in action.hops)


def java_fibs(match: Match) -> bytes:
    """Write a match as JavaFIBS does: the left player is You, and moves upwards in every second game."""
    user, opponent = (player.name for player in match.players)
    who = ("You", opponent)
    cube = {"double": 2, "take": 4, "drop": 5}
    lines = ["JavaFIBS internal match representation v1.1", f"8:{opponent}:{match.match_length}"]
    for number, game in enumerate(match.games):
        lines += [f"13:{opponent}: ", f"6:You:{opponent}"]
        for place, action in enumerate(game.actions):
            side = who[action.side]
            if isinstance(action, CubeAction):
                lines.append(f"{cube[action.kind]}:{side}:")
                continue
            lines.append(f"{0 if place else 11}:{side}:{action.dice[0]} {action.dice[1]}")
            played = hops(action, "-", upwards=(action.side == LEFT) == bool(number % 2))
            lines.append(f"{1 if played else 15}:{side}:{played}")
        assert game.result.winner is not None
        if game.result.ending is Ending.RESIGNATION:
            lines.append(f"3:{who[1 - game.result.winner]}:{game.result.points}")
        lines.append(f"7:{who[game.result.winner]}:{game.result.points}")
        left, right = game.score_after
        lines.append(f"14:{opponent}-{right}:{user}-{left}")
    return "\r\n".join(lines).encode()


def gibbon(match: Match) -> bytes:
    """Write a match as Gibbon does: the left player is White, and Black moves upwards."""
    lines = ["GMD-2 # Created by Gibbon version 0.2.0", f"Length: {match.match_length}"]
    lines += [f"Player:{side}: {player.name}" for side, player in zip("WB", match.players, strict=True)]
    lines += ["Rule: Crawford", "Event: Open", "Round: Final"]
    for game in match.games:
        lines += ["Game:", *gibbon_lines(game)]
    return "\n".join(lines).encode()


def gibbon_lines(game: Game) -> Iterator[str]:
    for place, action in enumerate(game.actions):
        side = "WB"[action.side]
        if isinstance(action, CubeAction):
            yield f"{action.kind.title()}:{side}"
            continue
        white_first = sorted(action.dice, reverse=action.side == LEFT)
        yield f"Roll:{side if place else '-'}: {white_first[0]} {white_first[1]}"
        yield f"Move:{side}: {hops(action, '/', upwards=action.side != LEFT)}"
    if game.result.ending is Ending.RESIGNATION:
        assert game.result.winner is not None
        yield f"Resign:{'WB'[1 - game.result.winner]}:{game.result.points}"
        yield f"Accept:{'WB'[game.result.winner]}"


def said(match: Match) -> list[object]:
    results = [(game.score, game.crawford, game.result.winner, game.result.points) for game in match.games]
    return [[player.name for player in match.players], match.match_length, match.final_score, match.winner, results]


WRITERS: dict[str, Callable[[Match], bytes]] = {".match": java_fibs, ".gmd": gibbon}


@pytest.mark.parametrize("played", ["15:Ben:", "1:Ben:1-5 12-17"])
def test_a_play_that_is_missing_or_illegal_is_corrected(match: Match, played: str) -> None:
    """JavaFIBS's line of Ben's first roll."""
    data = java_fibs(match).decode()
    assert "1:Ben:1-4 12-17" in data
    read, _ = read_saved(data.replace("1:Ben:1-4 12-17", played, 1).encode(), ".match")
    assert content_key(read) == content_key(match)
    (finding,) = read.findings
    assert (finding.code, "was corrected to" in finding.message) == ("repaired", True)


@pytest.mark.parametrize("suffix", WRITERS)
def test_a_match_that_is_written_and_read_back_is_the_same(match: Match, suffix: str) -> None:
    read, _ = read_saved(WRITERS[suffix](match), suffix)
    assert said(read) == said(match)
    assert content_key(read) == content_key(match)
    assert read.findings == ()


def test_a_file_is_known_by_its_first_line_and_a_copy_of_the_text(match: Match, shared: Path) -> None:
    base = (shared / "cases" / "base.mat").read_bytes()
    statuses, rows = accounted({"a.mat": base, "b.txt": java_fibs(match), "c.gmd": gibbon(match)})
    assert [statuses[name][0] for name in ("a.mat", "b.txt", "c.gmd")] == ["analysed", "duplicate", "duplicate"]
    assert set(rows["file"]) == {"a.mat"}


def test_event_and_round_are_read(match: Match) -> None:
    read, _ = read_saved(gibbon(match), ".gmd")
    assert (read.event, read.round) == ("Open", "Final")


@pytest.mark.parametrize(("suffix", "old", "new", "told"), cases("sentences.fibs"))
def test_what_is_not_understood_is_refused(match: Match, suffix: str, old: str, new: str, told: str) -> None:
    data = WRITERS[suffix](match)
    assert old.encode() in data
    with pytest.raises(SavedError, match=told):
        read_saved(data.replace(old.encode(), new.encode()), suffix)


def test_a_last_score_that_the_games_do_not_give_is_found(match: Match) -> None:
    data = java_fibs(match)
    left, right = match.final_score
    other = data.replace(f"-{right}:Ann-{left}".encode(), f"-{right}:Ann-{left + 1}".encode())
    assert other != data
    assert [finding.code for finding in read_saved(other, ".match")[0].findings] == ["final-score"]


def test_a_last_roll_that_is_lost_is_found(project: Path) -> None:
    """Gibbon writes no winner, so there a game without its last roll has no end."""
    (match,) = read_matches((project / "examples" / "2025-01-12-advanced-noise-0.02.mat").read_bytes()).matches
    assert match.games[-1].result.ending is Ending.BEAROFF
    *before, roll, move, won, score = java_fibs(match).split(b"\r\n")
    assert (roll[:2], move[:2], won[:2]) == (b"0:", b"1:", b"7:")
    read, _ = read_saved(b"\r\n".join([*before, won, score]), ".match")
    assert [finding.code for finding in read.findings] == ["last-roll"]
    read, _ = read_saved(b"\n".join(gibbon(match).split(b"\n")[:-2]), ".gmd")
    assert [finding.code for finding in read.findings] == ["unfinished", "incomplete"]


def test_a_game_without_a_winner_leaves_the_score_unknown(match: Match) -> None:
    """Gibbon writes no score: a second "Game:" begins a game of nothing."""
    read, _ = read_saved(gibbon(match).replace(b"Game:\n", b"Game:\nGame:\n", 1), ".gmd")
    assert [finding.code for finding in read.findings] == ["score"]
