"""A shard of matches between two sides: an archive of `.mat` files that `rate` reads, and the forfeits.

Each finished match is stored at once, so the next run continues after a killed one. A side that forfeits loses the
match. Both sides are restarted for the next match, and the conversation goes to the log of the side.

Somebody may end a side by a signal, which is no fault of the side: that match is played again. A side that a signal
ends in the same match a second time forfeits it, or a side that always fills the memory there would block the run.

A side that forfeits several matches in a row for the same reason is not a weak player but does not work: the shard is
given up.
"""

import hashlib
import importlib.metadata
import json
import os
import shutil
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd

from bgrating import BgratingError
from bgrating.engine.levels import Analysis
from bgrating.engine.locate import ANALYSIS_CLOCK, Engine
from bgrating.matchtext import write_mat
from bgrating.matchtext.model import Roll
from bgrating.play.designs import DesignPoint, Shard, require_seed
from bgrating.play.seeds import clock_second, shard_seeds
from bgrating.play.shards import Limits, analyse_archive, write_archive
from bgrating.referee.match import CRASH, Forfeit, Referee, seeded_dice
from bgrating.referee.names import Spec, spec
from bgrating.referee.sides import GnubgSide, LadderSide, SideError, UbgiSide, start
from bgrating.settings import SettingsError
from bgrating.tables.provenance import read_provenance, write_atomic, write_provenance
from bgrating.tables.tables import write_table

SEATS = ("left", "right")
IN_A_ROW = 3  # forfeits of a side for the same reason, after which a shard is given up
QUOTED = 12  # lines of the conversation before a forfeit
FILE_BYTES, MOST_FILES = 64 * 2**20, 1000
"""What identifies a program: files of its folder up to this size. In a folder with more files they must be named."""
_FORFEITS, _ENDED = "forfeits.json", "ended.json"
Json = dict[str, Any]


class StoppedError(Exception):
    """The run was stopped; finished matches are kept."""


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
    """Two sides and their versions by slug, and how matches between them are played and judged."""

    specs: Mapping[str, Spec]
    about: Mapping[str, Json]
    seed: int
    seconds: float
    judge: Engine
    level: Analysis
    limits: Limits
    stop: threading.Event
    on_match: Callable[[], None] = lambda: None

    def log(self, slug: str, cell: DesignPoint, number: int) -> Path:
        return self.limits.log.parent / f"{slug}.{cell.player}~{cell.opponent}-{number:03d}.log"


def programs(
    names: Mapping[str, str], judge: Engine, level: Analysis, seed: int, limits: Limits, seconds: float = 60.0,
    stop: threading.Event | None = None, config: Mapping[str, Any] | None = None,
) -> Programs:  # fmt: skip
    """Start every side once and return the sides with what identifies them; `names` are those of the settings, by slug.

    `judge` analyses at a `level`, and plays the levels that name no engine. `config` may have several of `option`
    (SIDE:NAME=VALUE) and `file` (SIDE:PATH). Raises SettingsError, EngineError and, for a side that does not start,
    SideError.
    """
    options = _by_side(names, (config or {}).get("option", ()), "--option SIDE:NAME=VALUE")
    files = _by_side(names, (config or {}).get("file", ()), "--file SIDE:PATH")
    specs, about = {slug: spec(name, judge, options[slug]) for slug, name in names.items()}, {}
    for slug, side in specs.items():
        playing = start(side, 0, ANALYSIS_CLOCK, seconds, limits.log)
        playing.close()
        about[slug] = {
            "asked": side.name, "options": list(map(list, side.options)), **playing.about,
            "files": _checksums(side, [Path(file) for file, _ in files[slug]]),
        }  # fmt: skip
        if side.package:
            about[slug]["package"] = f"{side.package} {importlib.metadata.version(side.package)}"
    return Programs(specs, about, seed, seconds, judge, level, limits, stop or threading.Event())


def _by_side(names: Mapping[str, str], given: Iterable[str], form: str) -> dict[str, tuple[tuple[str, str], ...]]:
    """Return what was given for the sides, split at its =; SIDE is a name in tables or its number from 1."""
    sides = {**{slug: slug for slug in names}, **{str(number): slug for number, slug in enumerate(names, 1)}}
    found: dict[str, list[tuple[str, str]]] = {slug: [] for slug in names}
    for text in given:
        side, colon, rest = text.partition(":")
        key, equals, value = rest.partition("=")
        if not colon or side not in sides or not key or ("=" in form) != bool(equals):
            raise SettingsError(f"{text!r} is not of the form {form}; SIDE is one of {', '.join(sides)}")
        found[sides[side]].append((key, value))
    return {slug: tuple(pairs) for slug, pairs in found.items()}


def _checksums(side: Spec, named: Sequence[Path]) -> dict[str, str]:
    """Return the SHA-256 of a side's program, of files in its command, and of `named` ones.

    If none is named, the other files in their folders count too, but not in those of the search path, which hold other
    programs. Raises SettingsError for a file that does not exist, and for a folder with too many files.
    """
    own = [side.engine.program] if side.engine else [Path(word) for word in side.command if Path(word).is_file()]
    if missing := [str(file) for file in named if not file.is_file()]:
        raise SettingsError(f"--file: there is no file {missing[0]}")
    beside: list[Path] = []
    places: Sequence[str | Path] = (*os.get_exec_path(), Path(sys.executable).resolve().parent)
    search = {Path(place).resolve() for place in places}
    for folder in {file.resolve().parent for file in own} - search if side.command and not named else ():
        files = [file for file in folder.iterdir() if file.is_file()]
        if len(files) > MOST_FILES:
            raise SettingsError(f"{folder} has {len(files):,} files; name those that {side.name} reads by --file")
        beside += [file for file in files if file.stat().st_size <= FILE_BYTES]
    every = {file.resolve(): file.name for file in (*own, *named, *beside)}
    return {f"{name} {number}": hashlib.sha256(file.read_bytes()).hexdigest()
            for number, (file, name) in enumerate(sorted(every.items(), key=lambda item: item[1]))}  # fmt: skip


def require_same_sides(archive: Path, programs: Programs) -> Json:
    """Return an archive's provenance. Raises SettingsError if other sides or another seed played it."""
    require_seed(archive, programs.seed)
    facts = read_provenance(archive)
    if facts["sides"] != dict(programs.about):
        raise SettingsError(
            f"{archive} holds matches of other programs (sides differs); give --name or --results, so that they are "
            "not mixed"
        )
    return facts


def play_part(programs: Programs, cell: DesignPoint, shard: Shard, table: Path) -> None:
    """Play and judge a shard. Raises StoppedError, SideError, EngineError."""
    archive = table.with_suffix(".zip")
    table.parent.mkdir(parents=True, exist_ok=True)
    if not archive.is_file():
        _play(programs, cell, shard, archive)
    facts = require_same_sides(archive, programs)
    if facts["texts"]:
        forfeited = frozenset(forfeit["match"] for forfeit in facts["forfeits"])
        analyse_archive(programs.judge, programs.level, archive, table, programs.limits, unfinished=forfeited)
    else:
        write_table(pd.DataFrame(), table, "study/shard", archive=archive.name)


def _play(programs: Programs, cell: DesignPoint, shard: Shard, archive: Path) -> None:
    names = (cell.player, cell.opponent)
    seeded = (programs.seed, *names, cell.match_length, shard.number)
    point = "/".join(map(str, seeded))
    dice = shard_seeds(*seeded, shard.matches).dice
    # What is not finished; another build that is given the same name, or other dice, must not go on with it.
    identity = hashlib.sha256(json.dumps([programs.about, dice], sort_keys=True).encode()).hexdigest()[:12]
    part = archive.with_suffix(f".{identity}.part")
    part.mkdir(exist_ok=True)
    noted = {kind: _noted(part / kind) for kind in (_FORFEITS, _ENDED)}
    done = {int(path.stem) for path in part.glob("*.mat")} | {forfeit["match"] for forfeit in noted[_FORFEITS]}
    logs = [programs.log(name, cell, shard.number) for name in names]
    sides: list[GnubgSide | UbgiSide] = []
    waiting = [number for number in range(shard.matches) if number not in done]
    try:
        while waiting and not _is_given_up(noted[_FORFEITS]):
            number = waiting[0]
            if programs.stop.is_set():
                raise StoppedError
            referee = Referee((None, None), cell.match_length, seeded_dice(str(dice[number])), names)  # type: ignore[arg-type]
            try:
                clocks = [clock_second(f"{point}/noise/{seat}/{number}") for seat in (0, 1)]
                _play_match(programs, referee, sides, clocks, logs)
            except Forfeit as forfeit:
                if programs.stop.is_set():  # it was us who ended the side
                    raise StoppedError from None
                seat = int(forfeit.side or 0)
                heard = list(sides[seat].process.heard) if seat < len(sides) else []
                while sides:
                    sides.pop().close()
                where = {"match": number, "side": SEATS[seat], "player": names[seat]}
                kind = _note(forfeit, where, noted[_ENDED], heard, logs[seat])
                noted[kind].append(where)
                write_atomic(part / kind, json.dumps(noted[kind], indent=1) + "\n")
                if kind == _ENDED:
                    continue
            waiting.pop(0)
            programs.on_match()
            match = referee.match()
            if any(isinstance(action, Roll) for game in match.games for action in game.actions):
                write_atomic(part / f"{number:04d}.mat", write_mat(match, names))
    finally:
        for side_playing in sides:
            side_playing.close()
    if _is_given_up(noted[_FORFEITS]):
        raise GivenUpError(noted[_FORFEITS])
    texts = [(path.name, path.read_bytes()) for path in sorted(part.glob("*.mat"))]
    write_archive(archive, texts)
    write_provenance(
        archive, sides=dict(programs.about), players=list(names), study_seed=programs.seed, shard=shard.number,
        match_length=cell.match_length, seconds_per_answer=programs.seconds, forfeits=noted[_FORFEITS],
        ended=noted[_ENDED], texts=len(texts), rows=shard.matches,
    )  # fmt: skip
    shutil.rmtree(part)


def _is_given_up(forfeits: Sequence[Json]) -> bool:
    """Tell whether the last matches of a shard were forfeited by one side for one reason."""
    last = forfeits[-IN_A_ROW:]
    is_row = len(last) == IN_A_ROW and last[-1]["match"] - last[0]["match"] == IN_A_ROW - 1
    return is_row and len({(one["player"], one["reason"]) for one in last}) == 1


def _noted(path: Path) -> list[Json]:
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []


def _started(programs: Programs, name: str, seat: int, clock: datetime, log: Path) -> GnubgSide | UbgiSide:
    """Restart a side. Raises Forfeit if it does not start."""
    try:
        return start(programs.specs[name], seat, clock, programs.seconds, log)
    except SideError as problem:
        from_outside = isinstance(problem.__cause__, Forfeit) and problem.__cause__.from_outside
        failed = Forfeit(CRASH, f"it did not start again ({problem})", from_outside=from_outside)
        failed.side = seat
        raise failed from problem


def _play_match(
    programs: Programs, referee: Referee, sides: list[GnubgSide | UbgiSide], clocks: Sequence[datetime],
    logs: Sequence[Path],
) -> None:  # fmt: skip
    """Start the sides that do not run, which are added to `sides`, and play a match. Raises Forfeit."""
    for seat in range(len(sides), 2):
        sides.append(_started(programs, referee.names[seat], seat, clocks[seat], logs[seat]))
    for side, clock in zip(sides, clocks, strict=True):
        side.process.heard.clear()
        if isinstance(side, LadderSide):
            side.random = Random(str(clock))
    referee.sides = (sides[0], sides[1])
    referee.play()


def _note(forfeit: Forfeit, where: Json, ended: Sequence[Json], heard: Sequence[str], log: Path) -> str:
    """Add to `where` why a match was not finished, and to a side's log the conversation; return _FORFEITS or _ENDED."""
    is_second = forfeit.from_outside and any(where.items() <= end.items() for end in ended)
    kind = _ENDED if forfeit.from_outside and not is_second else _FORFEITS
    what = "is played again" if kind == _ENDED else f"forfeited ({forfeit.reason})"
    sentence = f"{forfeit}{', twice in this match' * is_second}"
    with log.open("a", encoding="utf-8") as text:
        text.write(f"match {where['match']} of {where['player']}, {where['side']} seat, {what}: {sentence}\n")
        text.writelines(f"  {line}\n" for line in heard)
    where |= {"reason": forfeit.reason, "sentence": sentence, "conversation": list(heard[-QUOTED:])}
    return kind
