"""Play a shard of matches between two sides: an archive of `.mat` files that `rate` reads, and the forfeits.

Each finished match is stored at once, so the next run continues after a killed one. UBGI programs live as long as the
run, with a seed for each match if they offer one. A side that forfeits loses the match. Then both sides are restarted
for the next match, and the conversation goes to the log of the side.

Another process may end a side by a signal, which is no fault of the side: that match is played again. If a signal ends
the side a second time in the same match, the side forfeits it; else a side that exhausts memory would block the run.

A side that forfeits several matches in a row for the same reason does not work: the shard is given up.
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

from bgduel.match import CRASH, Forfeit, Referee, seeded_dice
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
from bgrating.tables.tables import write_table

SEATS = ("left", "right")
IN_A_ROW = 3
"""Number of forfeits of a side for the same reason after which a shard is given up."""
_KINDS = ("decisions", "seconds", "gammons")
QUOTED = 12  # lines of the conversation before a forfeit
FILE_BYTES, MOST_FILES = 64 * 2**20, 1000
"""Files up to this size in its folder identify a program. In a folder with more files the user must name them."""


class StoppedError(Exception):
    """The run was stopped; finished matches are stored."""


class GivenUpError(BgratingError):
    """A side forfeits match after match; `forfeits` are those of the shard."""

    def __init__(self, forfeits: list[Json]) -> None:
        last = forfeits[-1]
        super().__init__(
            f"{last['player']} forfeited {IN_A_ROW} matches in a row ({last['reason']}): {last['sentence']}"
        )
        self.forfeits = forfeits


@dataclass(frozen=True)
class Programs:
    """Two sides and their versions by slug, and the settings for their matches and the analysis.

    `idle` are programs that wait for their next shard, with `restarts` none. With `traces` every conversation goes to a
    file beside the log.
    """

    specs: Mapping[str, Spec]
    about: Mapping[str, Json]
    seed: int
    seconds: float
    judge: Engine
    level: Analysis
    limits: Limits
    stop: threading.Event
    on_match: Callable[[], None] = lambda: None
    idle: dict[str, list[UbgiSide]] = field(default_factory=dict)
    restarts: bool = False
    traces: bool = False

    def keep(self, name: str, side: RunningSide) -> None:
        """Keep a side that has finished a shard for the next one; close gnubg, since each shard seeds its noise."""
        if isinstance(side, UbgiSide) and not self.restarts:
            self.idle.setdefault(name, []).append(side)
        else:
            side.close()

    def close(self) -> None:
        for sides in self.idle.values():
            while sides:
                sides.pop().close()


def programs(
    names: Mapping[str, str],
    judge: Engine,
    level: Analysis,
    seed: int,
    limits: Limits,
    seconds: float = 60.0,
    stop: threading.Event | None = None,
    config: Record | None = None,
) -> Programs:
    """Start every side once; return the sides with their versions. `names` are the names of the settings by slug.

    `judge` analyses at a `level`, and plays the levels that name no engine. `config` may have lists of `option`
    (SIDE:NAME=VALUE) and `file` (SIDE:PATH), `restart` and `trace`. Raises SettingsError, EngineError and, for a side
    that does not start, SideError.
    """
    config = config or {}
    options = _by_side(names, config.get("option", ()), "--option SIDE:NAME=VALUE")
    files = _by_side(names, config.get("file", ()), "--file SIDE:PATH")
    specs, about = {slug: spec(name, judge, options[slug]) for slug, name in names.items()}, {}
    for slug, side in specs.items():
        playing = start(side, 0, ANALYSIS_CLOCK, seconds, limits.log)
        playing.close()
        about[slug] = {
            "asked": side.name,
            "options": list(map(list, side.options)),
            **playing.about,
            "files": _checksums(side, [Path(file) for file, _ in files[slug]]),
        }
        if side.package:
            about[slug]["package"] = f"{side.package} {importlib.metadata.version(side.package)}"
    return Programs(
        specs,
        about,
        seed,
        seconds,
        judge,
        level,
        limits,
        stop or threading.Event(),
        restarts=bool(config.get("restart")),
        traces=bool(config.get("trace")),
    )


def _by_side(names: Mapping[str, str], given: Iterable[str], form: str) -> dict[str, Options]:
    """Return the given texts by side, split at their =; SIDE is a slug or the number of a side from 1."""
    sides = {**{slug: slug for slug in names}, **{str(number): slug for number, slug in enumerate(names, 1)}}
    found: dict[str, Options] = dict.fromkeys(names, ())
    for text in given:
        side, colon, rest = text.partition(":")
        key, equals, value = rest.partition("=")
        if not colon or side not in sides or not key or ("=" in form) != bool(equals):
            raise SettingsError(f"{text!r} is not of the form {form}; SIDE is one of {', '.join(sides)}")
        found[sides[side]] += ((key, value),)
    return found


def _checksums(side: Spec, named: Sequence[Path]) -> dict[str, str]:
    """Return the SHA-256 of a side's program, of the files in its command, and of `named` ones.

    If none is named, the other files in the same folders count too, except in folders of the search path, which hold
    other programs. Raises SettingsError for a file that does not exist, and for a folder with too many files.
    """
    own = [side.engine.program] if side.engine else [Path(word) for word in side.command if Path(word).is_file()]
    if missing := [str(file) for file in named if not file.is_file()]:
        raise SettingsError(f"--file: there is no file {missing[0]}")
    beside: list[Path] = []
    search = {Path(place).resolve() for place in os.get_exec_path()} | {Path(sys.executable).resolve().parent}
    for folder in {file.resolve().parent for file in own} - search if side.command and not named else ():
        files = [file for file in folder.iterdir() if file.is_file()]
        if len(files) > MOST_FILES:
            raise SettingsError(f"{folder} has {len(files):,} files; name those that {side.name} reads by --file")
        beside += [file for file in files if file.stat().st_size <= FILE_BYTES]
    every = {file.resolve(): file.name for file in (*own, *named, *beside)}
    return {
        f"{name} {number}": hashlib.sha256(file.read_bytes()).hexdigest()
        for number, (file, name) in enumerate(sorted(every.items(), key=lambda item: item[1]))
    }


def play_part(programs: Programs, cell: DesignPoint, shard: Shard, table: Path) -> None:
    """Play a shard and analyse its luck; at a level without luck nothing is analysed, since `decide` uses no errors.

    Raises StoppedError, SideError, EngineError.
    """
    archive = table.with_suffix(".zip")
    table.parent.mkdir(parents=True, exist_ok=True)
    if not archive.is_file():
        play(programs, cell, shard, archive)
    facts = read_provenance(archive)
    if facts["texts"] and programs.level.luck:
        forfeited = frozenset(forfeit["match"] for forfeit in facts["forfeits"])
        analyse_archive(programs.judge, programs.level, archive, table, programs.limits, unfinished=forfeited)
    else:
        write_table(pd.DataFrame(), table, "study/shard", archive=archive.name)


def play(programs: Programs, cell: DesignPoint, shard: Shard, archive: Path) -> None:
    """Play a shard and write its archive. Raises StoppedError, SideError, and GivenUpError after forfeits in a row."""
    part = _Part(programs, cell, shard, archive)
    try:
        part.play()
    except BaseException:
        part.close()
        raise
    for name, side in zip(part.names, part.sides, strict=False):  # after a forfeit no side is left
        programs.keep(name, side)
    notes = part.notes
    if part.is_given_up():
        raise GivenUpError(notes["forfeits"])
    texts = [(path.name, path.read_bytes()) for path in sorted(part.folder.glob("*.mat"))]
    write_archive(archive, texts)
    write_provenance(
        archive,
        sides=dict(programs.about),
        players=list(part.names),
        study_seed=programs.seed,
        shard=shard.number,
        match_length=cell.match_length,
        seconds_per_answer=programs.seconds,
        forfeits=notes["forfeits"],
        ended=notes["ended"],
        played={
            name: {kind: sum(note["sides"][seat][kind] for note in notes["played"]) for kind in _KINDS}
            for seat, name in enumerate(part.names)
        },
        scores=[[note["match"], *note["score"]] for note in notes["played"]],
        texts=len(texts),
        rows=shard.matches,
    )
    shutil.rmtree(part.folder)


class _Part:
    """A shard in play: its folder has the finished matches and `notes`.

    `notes` are the `forfeits`, the sides `ended` from outside, and score and figures of every match `played`. `sides`
    are the running ones.
    """

    def __init__(self, programs: Programs, cell: DesignPoint, shard: Shard, archive: Path) -> None:
        self.names = (cell.player, cell.opponent)
        self._programs, self._length, self._matches = programs, cell.match_length, range(shard.matches)
        logs, name_of_shard = programs.limits.log.parent, f"{cell.player}~{cell.opponent}-{shard.number:03d}"
        self._logs = [logs / f"{name}.{name_of_shard}.log" for name in self.names]
        self._seeded = (programs.seed, *self.names, cell.match_length, shard.number)
        self._dice = shard_seeds(*self._seeded, shard.matches).dice
        # Another build with the same name, or other dice, must not continue an unfinished shard.
        identity = hashlib.sha256(json.dumps([programs.about, self._dice], sort_keys=True).encode()).hexdigest()[:12]
        self.folder = archive.with_suffix(f".{identity}.part")
        self.folder.mkdir(exist_ok=True)
        self._file = self.folder / "played.json"
        self.notes: dict[str, list[Json]] = {"forfeits": [], "ended": [], "played": []}
        if self._file.is_file():
            self.notes = json.loads(self._file.read_text(encoding="utf-8"))
        self.sides: list[RunningSide] = []

    def play(self) -> None:
        """Play the unfinished matches, until the shard is given up. Raises StoppedError, SideError."""
        done = {note["match"] for note in self.notes["played"]}
        for number in self._matches:
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
        """Play a match and store it; return False if it must be played again. Raises StoppedError, SideError."""
        self._check_stop()
        referee = Referee((None, None), self._length, seeded_dice(str(self._dice[number])), self.names)  # type: ignore[arg-type]
        is_finished = True
        try:
            self._referee(referee, number)
        except Forfeit as forfeit:
            self._check_stop()  # after Ctrl-C this program ended the side
            is_finished = self._forfeited(forfeit, referee.asked, number)
        if is_finished:
            self._programs.on_match()
            match = referee.match()
            if any(isinstance(action, Roll) for game in match.games for action in game.actions):
                write_atomic(self.folder / f"{number:04d}.mat", write_mat(match, self.names))
            sides = [{**asdict(referee.thought[seat]), "gammons": referee.gammons(seat)} for seat in (0, 1)]
            self.notes["played"].append({"match": number, "score": referee.score, "sides": sides})
        write_atomic(self._file, json.dumps(self.notes, indent=1) + "\n")
        return is_finished

    def _check_stop(self) -> None:
        if self._programs.stop.is_set():
            raise StoppedError

    def _referee(self, referee: Referee, number: int) -> None:
        """Start the missing sides, and play a match. Raises Forfeit."""
        clocks = [clock_second(f"{'/'.join(map(str, self._seeded))}/noise/{seat}/{number}") for seat in (0, 1)]
        for seat in range(len(self.sides), 2):
            referee.asked = seat
            idle = self._programs.idle.get(self.names[seat])
            self.sides.append(idle.pop() if idle else self._start(seat, clocks[seat]))
        referee.sides = (self.sides[0], self.sides[1])
        with ExitStack() as files:
            for seat, (side, clock) in enumerate(zip(self.sides, clocks, strict=True)):
                if self._programs.traces:
                    trace = self._logs[seat].with_suffix(".trace")
                    side.process.trace = files.enter_context(trace.open("a", encoding="utf-8"))
                    print(f"match {number}", file=side.process.trace)
                side.process.heard.clear()
                referee.asked = seat
                if isinstance(side, UbgiSide):
                    side.seat = seat
                    side.seed(int(clock.timestamp()))
            referee.play()
        for side in self.sides:
            side.process.trace = None

    def _start(self, seat: int, clock: datetime) -> RunningSide:
        """Start a side. Raises Forfeit if it does not start."""
        programs = self._programs
        try:
            return start(programs.specs[self.names[seat]], seat, clock, programs.seconds, self._logs[seat])
        except SideError as problem:
            from_outside = isinstance(problem.__cause__, Forfeit) and problem.__cause__.from_outside
            raise Forfeit(CRASH, f"it did not start again ({problem})", from_outside=from_outside) from problem

    def _forfeited(self, forfeit: Forfeit, seat: int, number: int) -> bool:
        """Note a forfeit, log the conversation, close both sides; return False to play the match again."""
        heard = list(self.sides[seat].process.heard) if seat < len(self.sides) else []
        self.close()
        note: Json = {"match": number, "side": SEATS[seat], "player": self.names[seat]}
        is_second = any(note.items() <= end.items() for end in self.notes["ended"])
        is_final = not forfeit.from_outside or is_second
        what = f"forfeited ({forfeit.reason})" if is_final else "is played again"
        sentence = f"{forfeit}, twice in this match" if forfeit.from_outside and is_second else str(forfeit)
        with self._logs[seat].open("a", encoding="utf-8") as text:
            text.write(f"match {number} of {self.names[seat]}, {SEATS[seat]} seat, {what}: {sentence}\n")
            text.writelines(f"  {line}\n" for line in heard)
        note |= {"reason": forfeit.reason, "sentence": sentence, "conversation": heard[-QUOTED:]}
        self.notes["forfeits" if is_final else "ended"].append(note)
        return is_final
