"""Play a shard of matches between two sides: an archive of `.mat` files that `rate` reads.

Each finished match is stored at once, so the next run continues after a killed one. UBGI programs
live as long as the run, with a seed for each match if they offer one. A side that forfeits loses
the match. Then both sides are restarted for the next match, and the conversation goes to the log of
the side. A void match has no result and is not in the archive.

Another process may end a side by a signal, which is no fault of the side: that match is played
again. If a signal ends the side a second time in the same match, the side forfeits it; else a side
that exhausts memory would block the run.

A side that forfeits several matches in a row for the same reason does not work: the shard is given
up.
"""

import hashlib
import importlib.metadata
import json
import os
import shutil
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path

import pandas as pd

from bgduel.match import CRASH, Forfeit, Referee, Void, seeded_dice
from bgduel.programs import Options, Spec, spec
from bgduel.sides import RunningSide, SideError, UbgiSide, start
from bgmatch import write_mat
from bgmatch.model import Roll
from bgmatch.records import Json, Record
from bgrating import BgratingError
from bgrating.engine.levels import Analysis
from bgrating.engine.locate import ANALYSIS_CLOCK, Engine
from bgrating.play.designs import DesignPoint, Shard
from bgrating.play.seeds import clock_second, shard_seeds
from bgrating.play.shards import Limits, analyse_archive, write_archive
from bgrating.settings import SettingsError
from bgrating.tables.provenance import read_provenance, write_atomic, write_provenance
from bgrating.tables.table_files import write_table

SEATS = ("left", "right")
IN_A_ROW = 3
"""Number of forfeits of a side for the same reason after which a shard is given up."""
_KINDS = ("decisions", "seconds", "gammons")
QUOTED = 12  # lines of the conversation before a forfeit
FILE_BYTES = 64 * 2**20
MOST_FILES = 1000
"""Files up to this size in its folder identify a program. In a folder with more files the user must
name them."""


class StoppedError(Exception):
    """The run was stopped; finished matches are stored."""


class GivenUpError(BgratingError):
    """A side forfeits match after match; `forfeits` are those of the shard."""

    def __init__(self, forfeits: list[Json]) -> None:
        last = forfeits[-1]
        what = f"{last['player']} forfeited {IN_A_ROW} matches in a row"
        super().__init__(f"{what}: {last['sentence']}")
        self.forfeits = forfeits


def _nothing() -> None:
    pass


@dataclass(frozen=True)
class Conditions:
    """How two sides play and are analysed.

    `judge` analyses at a `level`, and plays the levels that name no engine; `seed` is that of the
    dice. A side has `seconds` for an answer. `options` are those of the command: lists of `option`
    (SIDE:NAME=VALUE) and `file` (SIDE:PATH), `restart` and `trace`.
    """

    judge: Engine
    level: Analysis
    seed: int
    limits: Limits
    seconds: float = 60.0
    stop: threading.Event = field(default_factory=threading.Event)
    on_match: Callable[[], None] = _nothing
    options: Record = field(default_factory=dict)


@dataclass(frozen=True)
class Programs:
    """Two sides by slug, what identifies them, and how they play.

    `idle` are programs that wait for their next shard; with the option `restart` there are none.
    """

    specs: Mapping[str, Spec]
    about: Mapping[str, Json]
    conditions: Conditions
    idle: dict[str, list[UbgiSide]] = field(default_factory=dict)

    def keep(self, name: str, side: RunningSide) -> None:
        """Keep a side that has finished a shard; close gnubg, since each shard seeds its noise."""
        if isinstance(side, UbgiSide) and not self.conditions.options.get("restart"):
            self.idle.setdefault(name, []).append(side)
        else:
            side.close()

    def side(self, name: str, seat: int, clock: datetime, log: Path) -> RunningSide:
        """Return an idle side, or start one. Raises Forfeit if it does not start."""
        idle = self.idle.get(name)
        if idle:
            return idle.pop()
        try:
            return start(self.specs[name], seat, clock, self.conditions.seconds, log)
        except SideError as problem:
            cause = problem.__cause__
            from_outside = isinstance(cause, Forfeit) and cause.from_outside
            sentence = f"it did not start again ({problem})"
            raise Forfeit(CRASH, sentence, from_outside=from_outside) from problem

    def close(self) -> None:
        for sides in self.idle.values():
            while sides:
                sides.pop().close()


def programs(names: Mapping[str, str], conditions: Conditions) -> Programs:
    """Start every side once; return the sides with their versions.

    `names` are the names of the settings by slug. Raises SettingsError, EngineError and, for a side
    that does not start, SideError.
    """
    given = conditions.options
    options = _by_side(names, given.get("option", ()), "--option SIDE:NAME=VALUE")
    files = _by_side(names, given.get("file", ()), "--file SIDE:PATH")
    specs = {slug: spec(name, conditions.judge, options[slug]) for slug, name in names.items()}
    about = {}
    for slug, side in specs.items():
        playing = start(side, 0, ANALYSIS_CLOCK, conditions.seconds, conditions.limits.log)
        playing.close()
        about[slug] = {
            "asked": side.name,
            "options": list(map(list, side.options)),
            **playing.about,
            "files": _checksums(side, [Path(file) for file, _ in files[slug]]),
        }
        if side.package:
            version = importlib.metadata.version(side.package)
            about[slug]["package"] = f"{side.package} {version}"
    return Programs(specs, about, conditions)


def _by_side(names: Mapping[str, str], given: Iterable[str], form: str) -> dict[str, Options]:
    """Return the given texts by side, split at their =.

    SIDE is a slug or the number of a side from 1. Raises SettingsError.
    """
    sides = dict(zip(names, names, strict=True))
    sides |= {str(number): slug for number, slug in enumerate(names, 1)}
    found: dict[str, Options] = dict.fromkeys(names, ())
    for text in given:
        side, colon, rest = text.partition(":")
        key, equals, value = rest.partition("=")
        if not colon or side not in sides or not key or ("=" in form) != bool(equals):
            known = ", ".join(sides)
            raise SettingsError(f"{text!r} is not of the form {form}; SIDE is one of {known}")
        found[sides[side]] += ((key, value),)
    return found


def _checksums(side: Spec, named: Sequence[Path]) -> dict[str, str]:
    """Return the SHA-256 of a side's program, of the files in its command, and of `named` ones.

    If none is named, the other files in the same folders count too (`_beside`). Raises
    SettingsError for a file that does not exist.
    """
    missing = [str(file) for file in named if not file.is_file()]
    if missing:
        raise SettingsError(f"--file: there is no file {missing[0]}")
    files = [file for file in map(Path, side.command) if file.is_file()]
    if side.engine:
        files = [side.engine.program]
    beside = _beside(side, files) if side.command and not named else []
    every = {file.resolve(): file.name for file in (*files, *named, *beside)}
    by_name = sorted(every.items(), key=_second)
    found = {}
    for number, (file, name) in enumerate(by_name):
        found[f"{name} {number}"] = hashlib.sha256(file.read_bytes()).hexdigest()
    return found


def _second(pair: tuple[Path, str]) -> str:
    return pair[1]


def _beside(side: Spec, files: Sequence[Path]) -> list[Path]:
    """Return the files in the folders of a side's `files`.

    Folders of the search path are left out, since they hold other programs. Raises SettingsError
    for a folder with too many files.
    """
    search = {Path(folder).resolve() for folder in os.get_exec_path()}
    search.add(Path(sys.executable).resolve().parent)
    found: list[Path] = []
    for folder in {file.resolve().parent for file in files} - search:
        beside = [file for file in folder.iterdir() if file.is_file()]
        if len(beside) > MOST_FILES:
            remedy = f"name those that {side.name} reads by --file"
            raise SettingsError(f"{folder} has {len(beside):,} files; {remedy}")
        found += [file for file in beside if file.stat().st_size <= FILE_BYTES]
    return found


def play_part(programs: Programs, cell: DesignPoint, shard: Shard, table: Path) -> None:
    """Play a shard and analyse its luck.

    At a level without luck nothing is analysed, since `decide` uses no errors. Raises StoppedError,
    SideError, EngineError.
    """
    archive = table.with_suffix(".zip")
    table.parent.mkdir(parents=True, exist_ok=True)
    if not archive.is_file():
        play(programs, cell, shard, archive)
    facts = read_provenance(archive)
    how = programs.conditions
    if facts["texts"] and how.level.luck:
        lost = frozenset(forfeit["match"] for forfeit in facts["forfeits"])
        analyse_archive(how.judge, how.level, archive, table, how.limits, unfinished=lost)
    else:
        write_table(pd.DataFrame(), table, "study/shard", archive=archive.name)


def play(programs: Programs, cell: DesignPoint, shard: Shard, archive: Path) -> None:
    """Play a shard and write its archive.

    Raises StoppedError, SideError, and GivenUpError after forfeits in a row.
    """
    part = _Part(programs, cell, shard, archive)
    try:
        part.play()
    except BaseException:
        part.close()
        raise
    for name, side in zip(part.names, part.sides, strict=False):  # after a forfeit none is left
        programs.keep(name, side)
    if part.is_given_up():
        raise GivenUpError(part.notes["forfeits"])
    texts = [(path.name, path.read_bytes()) for path in sorted(part.folder.glob("*.mat"))]
    write_archive(archive, texts)
    write_provenance(
        archive,
        sides=dict(programs.about),
        players=list(part.names),
        study_seed=programs.conditions.seed,
        shard=shard.number,
        match_length=cell.match_length,
        seconds_per_answer=programs.conditions.seconds,
        **part.facts(),
        texts=len(texts),
        rows=shard.matches,
    )
    shutil.rmtree(part.folder)


class _Part:
    """A shard in play: its folder has the finished matches and `notes`.

    `notes` are the `forfeits`, the `void` matches, the sides `ended` from outside, and score and
    figures of every match `played`. `sides` are the running ones.
    """

    def __init__(self, programs: Programs, cell: DesignPoint, shard: Shard, archive: Path) -> None:
        self.names = (cell.player, cell.opponent)
        self._programs = programs
        self._length = cell.match_length
        logs = programs.conditions.limits.log.parent
        name_of_shard = f"{cell.player}~{cell.opponent}-{shard.number:03d}"
        self._logs = [logs / f"{name}.{name_of_shard}.log" for name in self.names]
        self._seeded = (programs.conditions.seed, *self.names, self._length, shard.number)
        self._dice = shard_seeds(*self._seeded, shard.matches).dice
        # Another build with the same name, or other dice, must not continue an unfinished shard.
        made_by = json.dumps([programs.about, self._dice], sort_keys=True).encode()
        identity = hashlib.sha256(made_by).hexdigest()[:12]
        self.folder = archive.with_suffix(f".{identity}.part")
        self.folder.mkdir(exist_ok=True)
        self._file = self.folder / "played.json"
        kinds = ("forfeits", "void", "ended", "played")
        self.notes: dict[str, list[Json]] = {kind: [] for kind in kinds}
        if self._file.is_file():
            self.notes |= json.loads(self._file.read_text(encoding="utf-8"))
        self.sides: list[RunningSide] = []

    def facts(self) -> Json:
        """Return what the record of the shard tells of its matches."""
        played = self.notes["played"]
        totals: Json = {}
        for seat, name in enumerate(self.names):
            sides = [note["sides"][seat] for note in played]
            totals[name] = {kind: sum(side[kind] for side in sides) for kind in _KINDS}
        return {
            **{name: self.notes[name] for name in ("forfeits", "void", "ended")},
            "played": totals,
            "scores": [[note["match"], *note["score"]] for note in played],
        }

    def play(self) -> None:
        """Play the unfinished matches, until the shard is given up.

        Raises StoppedError, SideError.
        """
        done = {note["match"] for note in (*self.notes["played"], *self.notes["void"])}
        for number in range(len(self._dice)):
            is_finished = number in done
            while not is_finished and not self.is_given_up():
                is_finished = self._match(number)

    def close(self) -> None:
        while self.sides:
            self.sides.pop().close()

    def is_given_up(self) -> bool:
        """Return whether one side forfeited the last IN_A_ROW matches for one reason."""
        last = self.notes["forfeits"][-IN_A_ROW:]
        is_row = len(last) == IN_A_ROW and last[-1]["match"] - last[0]["match"] == IN_A_ROW - 1
        return is_row and len({(forfeit["player"], forfeit["reason"]) for forfeit in last}) == 1

    def _match(self, number: int) -> bool:
        """Play a match and store it; return False if it must be played again.

        Raises StoppedError, SideError.
        """
        self._check_stop()
        dice = seeded_dice(str(self._dice[number]))
        referee = Referee((None, None), self._length, dice, self.names)  # type: ignore[arg-type]
        is_finished = True
        try:
            self._referee(referee, number)
            self._store(referee, number)
        except Void as void:
            self.notes["void"].append({"match": number, "sentence": str(void)})
        except Forfeit as forfeit:
            self._check_stop()  # after Ctrl-C this program ended the side
            is_finished = self._forfeited(forfeit, referee.asked, number)
            if is_finished:
                self._store(referee, number)
        write_atomic(self._file, json.dumps(self.notes, indent=1) + "\n")
        if is_finished:
            self._programs.conditions.on_match()
        return is_finished

    def _store(self, referee: Referee, number: int) -> None:
        """Store the text of a match, if it has a roll, and note its score."""
        match = referee.match()
        actions = [action for game in match.games for action in game.actions]
        if any(isinstance(action, Roll) for action in actions):
            write_atomic(self.folder / f"{number:04d}.mat", write_mat(match, self.names))
        sides = [asdict(thought) for thought in referee.thought]
        for seat, side in enumerate(sides):
            side["gammons"] = referee.gammons(seat)
        self.notes["played"].append({"match": number, "score": referee.score, "sides": sides})

    def _check_stop(self) -> None:
        if self._programs.conditions.stop.is_set():
            raise StoppedError

    def _referee(self, referee: Referee, number: int) -> None:
        """Start the missing sides, and play a match. Raises Forfeit, Void."""
        noise = "/".join(map(str, self._seeded)) + "/noise"
        clocks = [clock_second(f"{noise}/{seat}/{number}") for seat in (0, 1)]
        for seat in range(len(self.sides), 2):
            referee.asked = seat
            side = self._programs.side(self.names[seat], seat, clocks[seat], self._logs[seat])
            self.sides.append(side)
        referee.sides = (self.sides[0], self.sides[1])
        with ExitStack() as files:
            for seat, side in enumerate(self.sides):
                if self._programs.conditions.options.get("trace"):
                    trace = self._logs[seat].with_suffix(".trace").open("a", encoding="utf-8")
                    side.process.trace = files.enter_context(trace)
                    files.callback(setattr, side.process, "trace", None)
                    print(f"match {number}", file=trace)
                side.process.heard.clear()
                referee.asked = seat
                if isinstance(side, UbgiSide):
                    side.seat = seat
                    side.seed(int(clocks[seat].timestamp()))
            referee.play()

    def _forfeited(self, forfeit: Forfeit, seat: int, number: int) -> bool:
        """Note a forfeit, log the conversation, close both sides; return False to play again."""
        heard = list(self.sides[seat].process.heard) if seat < len(self.sides) else []
        self.close()
        note: Json = {"match": number, "side": SEATS[seat], "player": self.names[seat]}
        is_second = any(note.items() <= end.items() for end in self.notes["ended"])
        is_final = not forfeit.from_outside or is_second
        what = f"forfeited ({forfeit.reason})" if is_final else "is played again"
        sentence = str(forfeit)
        if forfeit.from_outside and is_second:
            sentence += ", twice in this match"
        place = f"match {number} of {self.names[seat]}, {SEATS[seat]} seat"
        with self._logs[seat].open("a", encoding="utf-8") as text:
            text.write(f"{place}, {what}: {sentence}\n")
            text.writelines(f"  {line}\n" for line in heard)
        quoted = heard[-QUOTED:]
        note |= {"reason": forfeit.reason, "sentence": sentence, "conversation": quoted}
        self.notes["forfeits" if is_final else "ended"].append(note)
        return is_final
