"""Sides that fail: the match is lost, counted and told of in a sentence, and the run ends."""

import importlib
import re
import sys
import zipfile
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from bgduel import match as refereeing
from bgduel import shard
from bgduel.duel import results
from bgduel.match import Forfeit, Referee, State, seeded_dice
from bgduel.programs import Spec, checksums, spec
from bgduel.shard import IN_A_ROW, VOID, Conditions, ShardFiles, StoppedError, programs
from bgduel.sides import Seat, SideError, UbgiSide
from bgmatch import board, read_matches, write_mat
from bgmatch.position import read_xgid
from bgmatch.rows import play_text
from bgrating.engine import levels, process
from bgrating.engine.locate import Engine
from bgrating.engine.side_names import names_of, slugs
from bgrating.play.archive import ArchiveAnalyst, Limits
from bgrating.play.designs import DesignPoint, Shard
from bgrating.settings_files import SettingsError
from bgrating.tables.provenance import read_provenance
from corpus import cases

ENGINE = Path(__file__).with_name("ubgi_engine.py")
CLOCK = datetime(2001, 1, 1, tzinfo=UTC)
SPECIFIED = Path(__file__).with_name("spec_engine.py")


def side(seat: int, tmp_path: Path, fault: str = "", seconds: float = 60.0) -> UbgiSide:
    command = (sys.executable, str(ENGINE), fault)
    return UbgiSide(command, {}, Seat(seat, CLOCK, seconds, tmp_path / "side.log"))


def specified(seat: int, tmp_path: Path, version: str, **options: str) -> UbgiSide:
    """Return a side that knows nothing beyond the specification of a version of UBGI."""
    command = (sys.executable, str(SPECIFIED), version)
    return UbgiSide(command, options, Seat(seat, CLOCK, 60.0, tmp_path / f"{seat}.log"))


def shard_of(place: Path, cell: DesignPoint) -> ShardFiles:
    """Return the only shard of a cell."""
    log = place / f"{cell.player}~{cell.opponent}-000.log"
    return ShardFiles(cell, Shard(0, cell.matches), place / "shard" / "000.zip", log)


def referee(sides: tuple[UbgiSide, UbgiSide], length: int) -> Referee:
    return Referee(sides, length, seeded_dice("5"))


def test_two_programs_play_a_match_that_our_reader_reads_without_a_finding(tmp_path: Path) -> None:
    texts = []
    for _ in range(2):  # a stray line, which is no answer, is passed over
        with closing(side(0, tmp_path)) as one, closing(side(1, tmp_path, "stray")) as other:
            match = referee((one, other), 5).play()
        texts.append(write_mat(match))
    assert texts[0] == texts[1]
    read = read_matches(write_mat(match, ("new", "old")).encode()).matches[0]
    wins = [row for row in texts[0].splitlines() if "Wins" in row]
    assert [" and the match" in row for row in wins] == [False] * (len(read.games) - 1) + [True]
    assert (read.findings, read.complete) == ((), True)
    assert (read.winner, read.final_score) == (match.winner, match.final_score)
    assert max(match.final_score) >= 5
    has_crawford = any(game.crawford for game in match.games)
    assert has_crawford == any(4 in game.score for game in match.games)


@pytest.mark.parametrize(("dialect", "name", "words"), cases("values.words_of_seeds"))
def test_a_program_receives_a_seed_a_match_or_the_users_in_all_matches(
    tmp_path: Path, dialect: str, name: str, words: str
) -> None:
    heard = []
    for options in ({}, {name: "2"}):
        with closing(specified(0, tmp_path, dialect, **options)) as one:
            one.new_match(0, 7)
            heard.append([words.format(seed) in one.talk.heard for seed in (7, 2)])
            assert options or one.identity["seeded"]
    assert heard == [[True, False], [False, True]]


def test_a_program_without_a_seed_receives_none(tmp_path: Path) -> None:
    with closing(side(0, tmp_path)) as one:
        assert not one.identity["seeded"]


def test_a_budget_is_in_the_request_of_version_0_1(tmp_path: Path) -> None:
    with closing(specified(0, tmp_path, "0.1", movetime="50", depth="2")) as one:
        one.play(State(1, (0, 0), crawford=False), (3, 1))
        assert "> go role chequer movetime 50 depth 2" in one.talk.heard


@pytest.mark.parametrize(("options", "sentence"), cases("sentences.options_of_programs"))
def test_an_option_that_version_0_2_lacks_is_refused(
    tmp_path: Path, options: dict[str, str], sentence: str
) -> None:
    with pytest.raises(SideError, match=sentence):
        specified(0, tmp_path, "0.2", **options)


@pytest.mark.slow
def test_a_program_plays_many_shards_without_a_restart_and_every_match_is_timed(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """500 matches to 1 point (0.2 may lack a cube): no forfeit; the trace has every match."""
    names = {version: f"ubgi:{sys.executable} {SPECIFIED} {version}" for version in ("0.1", "0.2")}
    both = programs(names, Conditions(engine, 1, options={"trace": True}), tmp_path / "log")
    started = Mock(wraps=shard.start)
    monkeypatch.setattr(shard, "start", started)
    cell = DesignPoint("0.1", "0.2", 1, 500, 50)
    for number in range(10):
        log = tmp_path / f"0.1~0.2-{number:03d}.log"
        shard.play(both, ShardFiles(cell, Shard(number, 50), tmp_path / f"{number}.zip", log))
    both.close()
    assert started.call_count == 2
    facts = read_provenance(tmp_path / "9.zip")
    assert facts["forfeits"] == []
    assert facts["played"]["0.1"]["decisions"] > 50 * 5
    assert facts["played"]["0.1"]["seconds"] > 0
    trace = (tmp_path / "0.1.0.1~0.2-009.trace").read_text()
    assert len(re.findall(r"^match \d+$", trace, re.MULTILINE)) == 50
    assert "> go role chequer" in trace


def test_a_program_that_reads_no_xgid_is_not_asked_about_a_double(tmp_path: Path) -> None:
    one = specified(0, tmp_path, "0.1")
    with closing(one), pytest.raises(Forfeit, match="it can only play matches to 1 point"):
        one.answer(State(3, (0, 0), crawford=False))


def time_runs_out(failing: UbgiSide, fault: str) -> None:
    """Let a side be late in its fifth decision: at once, or when it has said a line."""
    ask, note, decisions = failing._ask, failing.talk.note, count(1)

    def asked(*words: Any) -> str:
        failing.seconds = 1.0 if next(decisions) == 5 and fault == "hang" else 600.0
        return ask(*words)

    def noted(line: str) -> None:
        note(line)
        if line == "< info x":
            failing.talk.limit(0.0)

    failing._ask, failing.talk.note = asked, noted  # type: ignore[method-assign]


@pytest.mark.parametrize(("fault", "reason", "sentence"), cases("faults.forfeits"))
def test_a_fault_ends_the_match_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str, reason: str, sentence: str
) -> None:
    if fault == "chatty without end":  # a busy machine needs more than a minute to print 16 MB
        monkeypatch.setattr(process, "MOST_BYTES", 2**16)
    sound, failing = side(0, tmp_path), side(1, tmp_path, fault)
    if reason == "late":
        time_runs_out(failing, fault)
    playing = referee((sound, failing), 1)
    with closing(sound), closing(failing), pytest.raises(Forfeit) as failed:
        playing.play()
    assert (playing.asked_side, failed.value.reason) == (1, reason)
    assert sentence in str(failed.value)
    unfinished = read_matches(write_mat(playing.match()).encode()).matches[0]
    assert not unfinished.complete
    assert unfinished.rolls == len(playing.games[0].actions) >= 8


class Taken(list[Any]):
    """Idle programs of which another worker takes the last one after every look."""

    def __bool__(self) -> bool:
        return True


def test_two_workers_do_not_take_the_same_idle_program(engine: Engine, tmp_path: Path) -> None:
    names = dict.fromkeys(("one", "two"), f"ubgi:{sys.executable} {ENGINE}")
    both = programs(names, Conditions(engine, 1), tmp_path / "log")
    taken = replace(both, idle={name: Taken() for name in names})
    assert shard.play(taken, shard_of(tmp_path, DesignPoint("one", "two", 1, 1, 1))) == ""
    replace(both, idle={name: list(sides) for name, sides in taken.idle.items()}).close()


def test_a_side_that_a_signal_ends_twice_in_a_match_loses_it(
    engine: Engine, tmp_path: Path
) -> None:
    names = {
        "lives": f"ubgi:{sys.executable} {ENGINE}",
        "dies": f"ubgi:{sys.executable} {ENGINE} killed",
    }
    both = programs(names, Conditions(engine, 1), tmp_path / "log")
    part = shard_of(tmp_path, DesignPoint("lives", "dies", 1, 2, 2))
    shard.play(both, part)
    facts = read_provenance(part.archive)
    ends = {
        kind: [(end["match"], end["side"], end["player"]) for end in facts[kind]]
        for kind in ("ended", "forfeits")
    }
    assert ends["ended"] == ends["forfeits"] == [(0, "right", "dies"), (1, "right", "dies")]
    assert (
        facts["forfeits"][0]["sentence"] == "its process was ended by SIGKILL, twice in this match"
    )
    assert facts["forfeits"][0]["reason"] == "crash"
    assert "> go chequer" in facts["forfeits"][0]["conversation"]


@pytest.mark.parametrize("level", ["0-ply", "0-ply-no-luck"])
def test_a_void_match_has_no_text_and_no_result_and_is_not_played_again(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, level: str
) -> None:
    """The first match has no end, since its first game is cut short; a stopped shard goes on."""
    names = dict.fromkeys(("one", "two"), f"ubgi:{sys.executable} {ENGINE}")
    played: list[int] = []

    def on_matches(matches: int) -> None:
        played.append(matches)
        monkeypatch.setattr(refereeing, "MOST_PLIES", 5_000)
        if len(played) == 1:
            raise StoppedError

    limits = Limits(60.0, tmp_path / "log")
    both = programs(names, Conditions(engine, 1, on_matches=on_matches), limits.log)
    part = shard_of(tmp_path, DesignPoint("one", "two", 1, 2, 2))
    judge = ArchiveAnalyst(engine, levels.analysis(level), limits)
    monkeypatch.setattr(refereeing, "MOST_PLIES", 5)
    with pytest.raises(StoppedError):
        both.play(part, judge)
    both.play(part, judge)
    both.close()
    facts = read_provenance(part.archive)
    assert [(void["match"], void["sentence"]) for void in facts["void"]] == [
        (0, "game 1 had no end after 5 rolls")
    ]
    assert (facts["texts"], [match for match, *_ in facts["scores"]]) == (1, [1])
    assert len(played) == 2
    won, _, lost = results(part, part.record(), "one")
    assert (len(won), lost.tolist()) == (1, [0])


@pytest.mark.parametrize(("plies", "void"), [([5], 3), ([5, 5, 5_000, 5], 5)])
def test_sides_that_stall_in_three_matches_in_a_row_are_given_up(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plies: list[int], void: int
) -> None:
    """The first `plies` are those of a game of each match, the last one is that of all others."""
    names = dict.fromkeys(("one", "two"), f"ubgi:{sys.executable} {ENGINE}")
    left = plies.copy()

    def on_matches(_: int) -> None:
        if len(left) > 1:
            del left[0]
        monkeypatch.setattr(refereeing, "MOST_PLIES", left[0])

    monkeypatch.setattr(refereeing, "MOST_PLIES", plies[0])
    both = programs(names, Conditions(engine, 1, on_matches=on_matches), tmp_path / "log")
    part = shard_of(tmp_path, DesignPoint("one", "two", 1, 8, 8))
    assert shard.play(both, part) == "3 void in a row: game 1 had no end after 5 rolls"
    both.close()
    record = part.record()
    assert (len(record[VOID]), record["given_up"]) == (void, VOID)
    assert IN_A_ROW == 3


def test_a_program_that_does_not_speak_ubgi_is_refused_when_it_starts(
    engine: Engine, tmp_path: Path
) -> None:
    sentence = "ubgi:true does not start: its process ended with exit code 0"
    with pytest.raises(SideError, match=sentence):
        programs({"true": "ubgi:true"}, Conditions(engine, 1), tmp_path / "log")


def test_a_program_that_never_greets_has_the_time_of_an_answer_and_of_loading(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It had a minute, whatever the limit."""
    limits = []
    limit = process.Process.limit

    def limited(one: process.Process, seconds: float) -> None:
        limits.append(seconds)
        limit(one, seconds / 100)

    monkeypatch.setattr(process.Process, "limit", limited)
    names = {"sleep": "ubgi:sleep 1000", "expert": "expert"}
    sentence = "ubgi:sleep 1000 does not start: it did not answer in time"
    with pytest.raises(SideError, match=sentence):
        programs(names, Conditions(engine, 1, 0.5), tmp_path / "log")
    assert limits[-1] == 10.5


def test_the_order_of_a_folder_does_not_decide_what_identifies_a_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two links to the program one gives its name: another would begin the duel anew."""
    program = tmp_path / "engine-1.2"
    program.write_text("net")
    for name in ("engine", "newest"):
        (tmp_path / name).symlink_to(program)
    found = []
    for is_reversed in (False, True):
        folder = sorted(tmp_path.iterdir(), reverse=is_reversed)
        with monkeypatch.context() as patched:
            patched.setattr(Path, "iterdir", lambda _: iter(folder))  # noqa: B023 - used at once
            found.append(checksums(Spec("ubgi", command=(str(tmp_path / "engine"),)), ()))
    assert found[0] == found[1]
    assert len(found[0]) == 1


@pytest.mark.parametrize(("name", "sentence"), cases("sentences.sides"))
def test_an_unknown_side_is_refused(engine: Engine, name: str, sentence: str) -> None:
    with pytest.raises(SettingsError, match=sentence):
        spec(name, engine)


def test_bgsage_may_win_with_a_die_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """It bears its last chequer off by the 5, where the two dice together hit a blot on the way."""
    monkeypatch.setitem(sys.modules, "bgsage", SimpleNamespace(BgBotAnalyzer=None))
    analyzers = SimpleNamespace(bgbot_cpp=None, resolve_owner=None)
    monkeypatch.setitem(sys.modules, "bgsage.analyzer", analyzers)
    bgsage_side = importlib.import_module("bgduel.bgsage_side")
    monkeypatch.delitem(sys.modules, "bgduel.bgsage_side")
    place = read_xgid("XGID=--aA--------------ababccb-:0:0:1:51:0:0:0:1:10")
    own, other = list(place.player), list(place.opponent)
    board.make(own, other, [(3, 0)])
    best = SimpleNamespace(board=bgsage_side.points(own, other))
    analyzer = SimpleNamespace(checker_play=lambda *_, **__: SimpleNamespace(moves=[best]))
    play = bgsage_side.move(analyzer, place, (5, 1))
    assert play == "3/off"
    assert board.settle(
        list(place.player), list(place.opponent), (5, 1), play_text(play).moves
    ) == ((3, 0),)


def test_names_for_files_hold_nothing_that_a_match_or_a_path_cannot() -> None:
    names = names_of(" expert@/opt/gnubg , ubgi:./engine --ply 2 ")
    assert names == ("expert@/opt/gnubg", "ubgi:./engine --ply 2")
    found = slugs(("ubgi:/bin/x a:b;c", "expert", "bgsage:1ply"))
    assert found == ("x-a-b-c", "expert", "bgsage-1ply")
    assert slugs(("expert@/a/gnubg", "expert@/b/gnubg")) == ("expert@gnubg-1", "expert@gnubg-2")


@pytest.mark.slow
def test_money_games_are_judged_in_points(engine: Engine, tmp_path: Path) -> None:
    """Luck leaves hardly any of the points of a level against itself; so it is in points."""
    names = {"one": "expert@embedded-1.08", "two": "expert"}
    limits = Limits(600.0, tmp_path / "log" / "a.log")
    both = programs(names, Conditions(engine, 1), limits.log)
    part = shard_of(tmp_path, DesignPoint("one", "two", 0, 8, 8))
    both.play(part, ArchiveAnalyst(engine, levels.analysis("0-ply"), limits))
    won, luck, lost = results(part, part.record(), "one")
    assert lost.sum() == 0
    assert np.abs(won).max() >= 2
    assert np.corrcoef(won, luck)[0, 1] > 0.9
    assert np.std(won - luck) < 0.5 * np.std(won)
    with zipfile.ZipFile(part.archive) as texts:
        match = read_matches(texts.read("0000.mat")).matches[0]
    assert (match.match_length, match.complete, match.findings) == (0, True, ())
