"""A shard of matches between two sides: an archive of `.mat` files that `rate` reads, and the forfeits.

Each finished match is stored at once, so the next run continues after a killed one. A side that forfeits loses the
match. Both sides are restarted for the next match, and the conversation goes to the log of the side.

Somebody may end a side by a signal, which is no fault of the side: that match is played again. A side that a signal
ends in the same match a second time forfeits it, or a side that always fills the memory there would block the run.
"""

import hashlib
import json
import shutil
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.engine.levels import Analysis
from bgrating.engine.locate import ANALYSIS_CLOCK, Engine
from bgrating.matchtext import write_mat
from bgrating.matchtext.model import Roll
from bgrating.play.designs import DesignPoint, Shard, require_seed
from bgrating.play.seeds import clock_second, shard_seeds
from bgrating.play.shards import Limits, analyse_archive, write_archive
from bgrating.referee.match import CRASH, Forfeit, Referee, seeded_dice
from bgrating.referee.names import Spec, spec
from bgrating.referee.sides import GnubgSide, SideError, UbgiSide, start
from bgrating.settings import SettingsError
from bgrating.tables.provenance import read_provenance, write_atomic, write_provenance
from bgrating.tables.tables import write_table

SEATS = ("left", "right")
_FORFEITS, _ENDED = "forfeits.json", "ended.json"
Json = dict[str, Any]


class StoppedError(Exception):
    """The run was stopped; finished matches are kept."""


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

    def log(self, slug: str, cell: DesignPoint, number: int) -> Path:
        return self.limits.log.parent / f"{slug}.{cell.player}~{cell.opponent}-{number:03d}.log"


def programs(
    names: Mapping[str, str], judge: Engine, level: Analysis, seed: int, limits: Limits, seconds: float = 60.0,
    stop: threading.Event | None = None,
) -> Programs:  # fmt: skip
    """Start every side once and return the sides with their versions; `names` are those of the settings, by slug.

    `judge` analyses at a `level`, and plays the levels that name no engine. Raises SettingsError, EngineError and, for
    a side that does not start, SideError.
    """
    specs, about = {slug: spec(name, judge) for slug, name in names.items()}, {}
    for slug, side in specs.items():
        playing = start(side, 0, ANALYSIS_CLOCK, 60.0, limits.log)
        playing.close()
        program = side.engine.program if side.engine else Path(side.command[0])
        sha256 = hashlib.sha256(program.read_bytes()).hexdigest()
        about[slug] = {"asked": side.name, **playing.about, "program_sha256": sha256}
    return Programs(specs, about, seed, seconds, judge, level, limits, stop or threading.Event())


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
    forfeits, ended = _noted(part / _FORFEITS), _noted(part / _ENDED)
    done = {int(path.stem) for path in part.glob("*.mat")} | {forfeit["match"] for forfeit in forfeits}
    logs = [programs.log(name, cell, shard.number) for name in names]
    sides: list[GnubgSide | UbgiSide] = []
    try:
        waiting = [number for number in range(shard.matches) if number not in done]
        while waiting:
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
                where = {"match": number, "side": SEATS[seat], "player": names[seat]}
                is_second = any(where.items() <= end.items() for end in ended)
                again = forfeit.from_outside and not is_second
                where["sentence"] = f"{forfeit}{', twice in this match' * (forfeit.from_outside and is_second)}"
                what = "is played again" if again else f"forfeited ({forfeit.reason})"
                _note(logs[seat], where, what, sides[seat].process.heard if seat < len(sides) else ())
                while sides:
                    sides.pop().close()
                if again:
                    ended.append(where)
                    write_atomic(part / _ENDED, json.dumps(ended, indent=1) + "\n")
                    continue
                forfeits.append({**where, "reason": forfeit.reason})
                write_atomic(part / _FORFEITS, json.dumps(forfeits, indent=1) + "\n")
            waiting.pop(0)
            match = referee.match()
            if any(isinstance(action, Roll) for game in match.games for action in game.actions):
                write_atomic(part / f"{number:04d}.mat", write_mat(match, names))
    finally:
        for side_playing in sides:
            side_playing.close()
    texts = [(path.name, path.read_bytes()) for path in sorted(part.glob("*.mat"))]
    write_archive(archive, texts)
    write_provenance(
        archive, sides=dict(programs.about), players=list(names), study_seed=programs.seed, shard=shard.number,
        match_length=cell.match_length, seconds_per_answer=programs.seconds, forfeits=forfeits, ended=ended,
        texts=len(texts), rows=shard.matches,
    )  # fmt: skip
    shutil.rmtree(part)


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
    for side in sides:
        side.process.heard.clear()
    referee.sides = (sides[0], sides[1])
    referee.play()


def _note(log: Path, where: Json, what: str, heard: Iterable[str]) -> None:
    """Add why a match was not finished, and the conversation of it, to a side's log."""
    with log.open("a", encoding="utf-8") as text:
        text.write(f"match {where['match']} of {where['player']}, {where['side']} seat, {what}: {where['sentence']}\n")
        text.writelines(f"  {line}\n" for line in heard)
