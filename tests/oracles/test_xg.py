"""eXtreme Gammon's files: the match beside its text, XG's own figures, and damaged files."""

import random
import struct
import sys
import tracemalloc
from pathlib import Path

import pytest

from bgmatch import read_matches, read_saved, write_mat
from bgmatch.formats.program_file import SavedError
from bgmatch.formats.saved import read_file
from bgmatch.formats.xg_file import MAX_EXPANDED, records
from bgmatch.model import CubeAction, Match, Roll, XgFigures
from bgmatch.scales import performance_rating
from bgmatch.write import content_key
from bgrating.collection.rate_request import RateRequest
from bgrating.collection.rating_run import rate
from bgrating.collection.readings import read_data, xg_figures, xg_verdicts
from bgrating.decisions.thresholds import COSTLY
from commands import run
from fuzz.changes import Archive
from match_texts import mirrored
from records import accounted

CHARLOT = "charlot1-charlot2_7p_2025-11-08-2305"


def files(shared: Path) -> list[Path]:
    return sorted([*(shared / "xg").glob("*.xg"), *(shared / "matches").rglob("*.xg")])


@pytest.fixture(name="data", scope="module")
def _data(shared: Path) -> bytes:
    return (shared / "xg" / f"{CHARLOT}.xg").read_bytes()


def read_xg(data: bytes) -> tuple[Match, XgFigures | None]:
    return read_saved(data, ".xg")


def refused(data: bytes) -> str:
    with pytest.raises(SavedError) as problem:
        read_file(data, ".xg")
    return str(problem.value)


def test_every_file_is_read_without_a_warning(shared: Path) -> None:
    """Reading replays each game: its plays lead to every position and cube of the file."""
    assert len(files(shared)) == 6
    for path in files(shared):
        if path.name == "example.xg":  # 578 bytes of records, no match
            assert refused(path.read_bytes()) == "this eXtreme Gammon file holds no match"
            continue
        match, figures = read_xg(path.read_bytes())
        assert match.complete
        assert match.findings == ()
        assert figures is not None
        assert match.date[:2] == "20"
        assert [player.rating for player in match.players] == [None, None]


def test_names_and_scores(shared: Path) -> None:
    match, _ = read_xg((shared / "matches" / "kevung+gbf" / "match_with_comment.xg").read_bytes())
    assert [player.name for player in match.players] == ["Nicolas HARMAND", "Kévin UNGER"]
    assert (match.match_length, match.final_score, match.winner) == (9, (4, 10), 1)
    assert match.date == "2024-10-24"


def said(match: Match) -> list[object]:
    def words(action: Roll | CubeAction) -> tuple[object, ...]:
        is_roll = isinstance(action, Roll)
        return (sorted(action.dice), sorted(action.hops)) if is_roll else (action.kind,)

    found: list[object] = [match.match_length, match.date]
    found += [player.name for player in match.players]
    for game in match.games:
        found.append((game.score, game.crawford, game.result.winner, game.result.points))
        found += [(action.side, *words(action)) for action in game.actions]
    return found


def test_a_match_and_its_text_are_equal(shared: Path, data: bytes) -> None:
    text = (shared / "matches" / "kevung+gbf" / f"{CHARLOT}.mat").read_bytes()
    (theirs,) = read_matches(text).matches
    ours, _ = read_xg(data)
    assert said(ours) == said(theirs)
    assert content_key(ours) == content_key(theirs)


def test_the_figures_that_xg_shows(data: bytes) -> None:
    """As kevung/blunderDB records them: PR 0.39 of 90 decisions, error 0.070; 0.42 of 79, 0.066."""
    _, figures = read_xg(data)
    assert figures is not None
    assert [one.decisions for one in figures] == [90, 79]
    ratings = [performance_rating(one.error, one.decisions) for one in figures]
    assert ratings == pytest.approx([0.39, 0.42], abs=0.005)
    assert [one.error for one in figures] == pytest.approx([0.070, 0.066], abs=0.0005)


def test_an_unanalysed_decision_leaves_no_figures(data: bytes) -> None:
    archive = Archive.of(data)
    assert read_xg(archive.with_games(archive.games))[1] is not None
    place = first_play(archive.games) + 2312
    games = archive.games[:place] + struct.pack("<d", -1000.0) + archive.games[place + 8 :]
    match, figures = read_xg(archive.with_games(games))
    assert figures is None
    assert match.findings == ()


def first_play(games: bytes) -> int:
    return next(place for place in range(0, len(games), 2560) if games[place + 8] == 3)


def test_damaged_files_are_refused_with_a_sentence(data: bytes) -> None:
    rng = random.Random(1)
    for _ in range(20):
        assert "cut or damaged" in refused(data[: rng.randrange(9000, len(data))])
    end = len(data)
    for _ in range(20):
        place = rng.randrange(end - 60_000, end)
        flipped = bytes([data[place] ^ 1 << rng.randrange(8)])
        assert refused(data[:place] + flipped + data[place + 1 :])
    assert refused(b"") == "not an eXtreme Gammon file"
    assert "cut or damaged" in refused(data[:100])


def test_plays_that_contradict_the_positions_are_refused(data: bytes) -> None:
    archive = Archive.of(data)
    start = first_play(archive.games)
    play, dice = start + 68, start + 100
    read = struct.unpack("<10l", archive.games[play : dice + 8])
    assert read == (12, 8, 23, 22, -1, -1, -1, -1, 4, 1)
    changed = archive.games[:play] + b"\x07" + archive.games[play + 1 :]
    sentence = "game 1, roll 1: the plays of this .xg file contradict its positions"
    assert sentence in refused(archive.with_games(changed))
    # The positions agree, the rules do not.
    other = archive.games[:dice] + b"\x02" + archive.games[dice + 1 :]
    findings = read_xg(archive.with_games(other))[0].findings
    assert [finding.code for finding in findings] == ["illegal-play", "xg-dice"]
    gone = archive.games[:start] + archive.games[start + 2560 :]
    assert "contradict" in refused(archive.with_games(gone))


def test_a_game_that_lost_its_last_record_is_not_read_unseen(shared: Path) -> None:
    """Else it looks resigned: after a drop, the last chequer borne off, or a resignation."""
    ended = 0
    for path in (file for file in files(shared) if file.name != "example.xg"):
        archive = Archive.of(path.read_bytes())
        starts = range(0, len(archive.games), 2560)
        parts = [archive.games[start : start + 2560] for start in starts]
        for place, record in enumerate(records(path.read_bytes())):
            if record.get("Name") != "GameFooter":
                continue
            ended += 1
            changed = archive.with_games(b"".join(parts[: place - 1] + parts[place:]))
            if record.Termination >= 100:
                codes = [finding.code for finding in read_xg(changed)[0].findings]
                assert "before-resignation" in codes
            else:
                assert "how this game ends contradicts its plays" in refused(changed)
    assert ended == 28


def test_a_file_that_expands_without_end_is_refused_before_it_does(data: bytes) -> None:
    bomb = Archive.of(data).with_games(bytes(4 * MAX_EXPANDED))
    assert len(bomb) < 2_000_000
    tracemalloc.start()
    assert "expands to more than" in refused(bomb)
    assert tracemalloc.get_traced_memory()[1] < 3 * MAX_EXPANDED
    tracemalloc.stop()


def test_a_folder_of_them_is_analysed_beside_their_texts(shared: Path, tmp_path: Path) -> None:
    collection = tmp_path / "collection"
    collection.mkdir()
    for path in [*files(shared), shared / "matches" / "kevung+gbf" / f"{CHARLOT}.mat"]:
        (collection / path.name).symlink_to(path)
    rated = rate(RateRequest((collection,), luck=False, store=None))
    found = rated.files.set_index("file")
    copy = found[found["status"] == "duplicate"]
    counts = found["status"].value_counts().to_dict()
    assert counts == {"analysed": 5, "duplicate": 1, "rejected": 1}
    assert copy["reason"].to_dict() == {f"{CHARLOT}.mat": f"same rolls and plays as {CHARLOT}.xg"}
    assert found.loc["example.xg", "reason"] == "this eXtreme Gammon file holds no match"
    matches = rated.matches
    judged = matches[matches["xg_pr"].notna()]
    assert len(judged) == len(matches) == 10
    # Two judges of the same plays: gnubg at 0-ply sees more errors, but the same players err more.
    assert judged["xg_pr"].corr(judged["pr"]) > 0.8
    assert (judged["xg_decisions"] / judged["unforced_moves"]).between(0.7, 1.3).all()
    assert set(matches["complete"]) == {True}
    decisions = rated.decisions
    assert decisions.loc[decisions["xg_by"].notna(), "unforced"].mean() > 0.99
    assert decisions["xg_by"].str.startswith("XG ").sum() == decisions["xg_by"].notna().sum() > 900
    # Every error that XG sums has a row, but for one missed double that gnubg does not find close.
    sums = decisions.groupby(["file", "side"])["xg_loss_emg"].sum()
    theirs = judged.set_index(["file", "side"])
    differences = theirs["xg_pr"] * theirs["xg_decisions"] / 500 - sums
    assert sorted(differences)[:-1] == pytest.approx([0.0] * 9, abs=1e-6)
    assert max(differences) == pytest.approx(0.0322, abs=0.0001)
    assert theirs["xg_errors"].sum() == (decisions["xg_loss_emg"] >= COSTLY).sum() + 1
    found = xg_figures(read_data(path.read_bytes(), path.name)[0] for path in files(shared))
    assert sum(len(xg_verdicts(one)) for one in found.values()) > decisions["xg_by"].notna().sum()


def test_a_text_that_counts_keeps_the_figures_of_an_exact_copy_by_xg(data: bytes) -> None:
    alone = accounted({"a.xg": data})[1]
    text = write_mat(mirrored(read_xg(data)[0])).encode()
    found, matches = accounted({"a.xg": data, "b.mat": text}, refused="a.xg")
    assert found["a.xg"][0] == "duplicate"
    assert set(matches["file"]) == {"b.mat"}
    assert alone["xg_pr"].nunique() == 2
    for name in ("xg_pr", "xg_decisions", "xg_errors"):
        assert matches[name].tolist() == alone[name].tolist()[::-1]
    found = xg_figures(read_data(one, name)[0] for one, name in ((text, "b.mat"), (data, "a.xg")))
    assert xg_verdicts(found["b.mat", 1]) == xg_verdicts(found["a.xg", 1]) != {}


def patched(data: bytes, kind: int, offset: int, value: bytes, nth: int = 0) -> bytes:
    """Return a file whose nth record of a kind has other bytes, and the right checksums."""
    archive = Archive.of(data)
    games = archive.games
    starts = [place for place in range(0, len(games), 2560) if games[place + 8] == kind]
    place = starts[nth] + offset
    return archive.with_games(games[:place] + value + games[place + len(value) :])


HEADER, GAME, CUBE, MOVE, END_OF_GAME, END_OF_MATCH = range(6)


SIXES = struct.pack("<2l", 6, 6)
OTHER_DICE = (1, "roll 4: the dice are 31 and 66 in the same file")
OTHER_SCORE = (None, "the file gives the final score 6-2, the games 9-2")
TWICE = [
    (END_OF_MATCH, 12, SIXES[:4], 0, OTHER_SCORE),
    (CUBE, 208, b"\x0266", 3, OTHER_DICE),
    (MOVE, 124 + 28, SIXES, 3, OTHER_DICE),
]


@pytest.mark.parametrize(("kind", "offset", "value", "nth", "finding"), TWICE)
def test_what_a_file_gives_twice_is_compared(
    data: bytes, kind: int, offset: int, value: bytes, nth: int, finding: tuple[int | None, str]
) -> None:
    match, _ = read_xg(patched(data, kind, offset, value, nth))
    assert finding in [(one.game, one.message) for one in match.findings]


def test_a_match_length_that_the_analysis_contradicts(shared: Path) -> None:
    data = (shared / "xg" / "1-Intermediate-Round1-Unger-Kozoman-11pt.xg").read_bytes()
    match, _ = read_xg(patched(data, HEADER, 92, struct.pack("<l", 13)))
    said = "the match length leave 13 and 13 points to go, XG analysed it with 11 and 11"
    assert any(said in finding.message for finding in match.findings)


def test_dice_that_other_records_do_not_give_are_seen_where_no_play_was_possible(
    shared: Path,
) -> None:
    """A side that dances has no play to contradict its dice."""
    path = shared / "matches" / "kevung+gbf" / "match_with_comment.xg"
    moves = [record for record in records(path.read_bytes()) if "Dice" in record]
    dances = [bool(one.Played) and one.Moves[0] == -1 and one.Dice == (6, 3) for one in moves]
    match, _ = read_xg(patched(path.read_bytes(), MOVE, 100, SIXES, dances.index(True)))
    assert "xg-dice" in [finding.code for finding in match.findings]


@pytest.mark.parametrize("length", [0, -1, -7, 100_000, 2**31 - 1, -(2**31)])
def test_a_match_length_that_is_none_is_refused(data: bytes, length: int) -> None:
    changed = patched(data, HEADER, 92, struct.pack("<l", length))
    assert f"a match length of {length}" in refused(changed)


# What getrusage tells begins with the size of the process that started this one.
PEAK = r"""
import re, time, sys, pathlib
from bgmatch import read_file
from bgmatch.formats.program_file import SavedError
data, before = pathlib.Path(sys.argv[1]).read_bytes(), time.process_time()
try: read_file(data, ".xg")
except SavedError: pass
peak = re.search(r"VmHWM:\s+(\d+) kB", pathlib.Path("/proc/self/status").read_text())[1]
print(time.process_time() - before, int(peak) / 1024)
"""


def peak(data: bytes, tmp_path: Path) -> tuple[float, float]:
    """Return the seconds and the megabytes that a process of its own takes to read a file."""
    (tmp_path / "a.xg").write_bytes(data)
    told = run([sys.executable, "-c", PEAK, tmp_path / "a.xg"]).stdout
    seconds, megabytes = map(float, told.split())
    return seconds, megabytes


def test_a_cube_as_large_as_its_field_costs_nothing(data: bytes, tmp_path: Path) -> None:
    huge = patched(data, MOVE, 108, struct.pack("<l", 2**31 - 1), 5)
    assert "contradict its positions" in refused(patched(data, MOVE, 108, struct.pack("<l", 9), 5))
    seconds, megabytes = peak(huge, tmp_path)
    assert seconds < 5
    assert megabytes < 300


@pytest.mark.slow
def test_thirteen_thousand_records_take_little_memory(data: bytes, tmp_path: Path) -> None:
    archive = Archive.of(data)
    start = first_play(archive.games)
    record = archive.games[start : start + 2560]
    many = archive.games[:start] + record * (MAX_EXPANDED // 2560 - start // 2560)
    assert peak(archive.with_games(many), tmp_path)[1] < 300


@pytest.mark.parametrize(
    ("name", "event", "round_"),
    [
        ("1-Intermediate-Round1-Unger-Kozoman-11pt", "Aachen Backgammon Festival", "Round 1"),
        ("Lux Heuler-Franzosen 7 point match 12.08.2024", "Doppel WM", "2"),
        (CHARLOT, "", ""),
    ],
)
def test_event_and_round_are_those_of_the_file(
    shared: Path, name: str, event: str, round_: str
) -> None:
    """The first file's name has the round too; the doubles were a world championship."""
    match, _ = read_xg((shared / "xg" / f"{name}.xg").read_bytes())
    assert match.event == event
    assert match.round.endswith(round_)
