"""Analyse matches inside an engine, one after the other, as they are handed over (engine/pool.py).

Runs under the Python of the package `gnubg` (`python -I -S worker.py`) or inside a gnubg program. So it imports only
the standard library, `gnubg` and those of our modules that need no more. BGRATING_INSIDE is this file's path.

Requests are JSON lines on standard input. Answers are JSON lines on standard output behind MARK, since a program may
print before this file captures its output. The first request says what to set (`match_equity_table`, `commands`,
`show`); its answer is what the engine is. Every other is a content (collection/readings.py). Its answer
has one of

- `problem`: why the engine does not read it
- `failed`: what went wrong with it here
- `machine`: what this machine lacked (room for files); the content is not to blame (the first answer too)
- `sgf`: the analysed match, compressed, and what `digest` makes of it
- of a content whose `part` is PLAYS_AND_CUBE the same without decisions; the analysis takes a tenth of the time of all
- `checked`: the decisions that `check` of the content lists, as rows of decisions/rows.py

A content with `sgf` is not analysed again: only the digest is made anew. Of one whose `part` is LUCK only luck is
analysed, and joined to what PLAYS_AND_CUBE gave, the value of that name: the answer is that of analysing everything.
"""

import base64
import gc
import json
import os
import sys
import zlib
from pathlib import Path
from re import Match
from typing import Any

sys.path += [str(Path(os.environ["BGRATING_INSIDE"]).parents[2]), os.environ.get("BGRATING_PACKAGES", "")]
import gnubg

from bgrating.analysis.import_check import differences
from bgrating.decisions.rows import decisions
from bgrating.engine import inside, sgf
from bgrating.engine.cube_decisions import Table
from bgrating.engine.error_sizes import error_sizes
from bgrating.engine.room import room_problem
from bgrating.engine.sgf import LUCK, PLAYS_AND_CUBE
from bgrating.engine.statistics import match_rows
from bgrating.tables.csv_safety import escape_controls

MARK = b"\x1ebgrating "
_PARTS = {
    None: (),
    PLAYS_AND_CUBE: ("set analysis moves on", "set analysis cube on", "set analysis luck off"),
    LUCK: ("set analysis moves off", "set analysis cube off", "set analysis luck on"),
}
CANDIDATES = 10
"""Plays that are kept of a decision, beside the one that was made: more are on no page, and take two thirds of the
room."""

Json = dict[str, Any]


class MachineError(Exception):
    """The machine lacked something: the same content may be analysed well at another time."""


def loading(content: Json) -> str:
    """Return the command that loads a content. Raises MachineError."""
    path = Path("content.mat")
    # Some file systems (ext4) put what was written at once on the disk where a file is written over: 3 ms.
    path.unlink(missing_ok=True)
    try:
        path.write_text(content["text"], encoding="ascii")
    except OSError as problem:
        raise MachineError(f"{Path.cwd().parent} has no room for a match ({problem.strerror})") from problem
    inside.run(content["before"])
    return f'import mat "{path}"'


def whole_match(text: str, games: int) -> Json:
    """Return the match of an SGF with so many games. Raises MachineError: gnubg does not report that it had no room."""
    if not text.endswith(")\n") or len((match := sgf.match(text))["games"]) != games:
        raise MachineError(f"{Path.cwd().parent} had no room for what the engine found: its answer is cut off")
    return match


def unpacked(packed: str) -> str:
    return zlib.decompress(base64.b64decode(packed)).decode()


def shortened(text: str) -> str:
    """Return an SGF with the best CANDIDATES of every decision, and the play that was made."""

    def best(candidates: Match[str]) -> str:
        made, plays = int(candidates[1]), candidates[2][1:-1].split("][")
        kept = plays[:CANDIDATES]
        if CANDIDATES <= made < len(plays):
            kept, made = [*kept, plays[made]], CANDIDATES
        elif made >= len(plays):  # an illegal play of the text: from past the last candidate
            made = len(kept)
        return f"A[{made}]" + "".join(f"[{play}]" for play in kept)

    return sgf.PLAYS.sub(best, text)


def digest(content: Json, match: Json, table: Table | None) -> Json:
    """Return what is kept of a content (readings.py) that was analysed; `match` as engine/sgf.py reads it.

    `problem`: why it counts as none; or `rows`, two of them with the figures of left and right, `decisions`, lists by
    column. `table` is the match-equity table of the match's length, None for money.
    """
    expected = content["expected"]
    if differ := escape_controls("; ".join(differences(expected, match["length"], match["games"]))):
        return {"problem": f"the engine read it differently: {differ}"}
    sizes = error_sizes(match, table)
    rows = []
    for row in match_rows(match, table):
        figures = {key: value for key, value in row.items() if key not in {"player", "opponent"}}
        rows.append({**figures, **sizes[row["side"]]})
    decided = [] if content.get("part") == PLAYS_AND_CUBE else list(decisions(match, table))
    for row in decided:  # the engine was not given games that it cannot read
        row["game"] = expected["places"][row["game"] - 1]
    columns = {name: [row[name] for row in decided] for name in (decided[0] if decided else ())}
    return {"rows": rows, "decisions": columns}


def checked(content: Json) -> list[Json]:
    """Judge single decisions of a content: of those in `check` (game of the file, ply, kind) return the rows.

    Decisions that the engine does not judge are left out. Raises MachineError, inside.RefusedError.
    """
    places = content["expected"]["places"]
    wanted = {(places.index(game) + 1, ply, kind) for game, ply, kind in content["check"] if game in places}
    # gnubg keeps what it finds of a take or a pass with the double before it.
    judged = {(game, ply - (kind in {"take", "pass"}), kind != "play") for game, ply, kind in wanted}
    match = whole_match(*inside.judged(loading(content), judged))
    rows = decisions(match, gnubg.met(match["length"]) if match["length"] else None, every=True)
    found = [row for row in rows if (row["game"], row["ply"], row["kind"]) in wanted]
    is_judged = [row["unforced"] if row["kind"] == "play" else row["no_double"] is not None for row in found]
    return [row | {"game": places[row["game"] - 1]} for row, known in zip(found, is_judged, strict=True) if known]


def answer(content: Json) -> Json:
    """Return the answer to a content."""
    try:
        if "check" in content:
            return {"checked": checked(content)}
        if "sgf" in content:
            packed = content["sgf"]
            match = sgf.match(unpacked(packed))
        else:
            text, games = inside.analysed(loading(content), _PARTS[content.get("part")])
            text = shortened(text)
            match = whole_match(text, games)
            if content.get("part") == LUCK:
                text = sgf.with_luck(unpacked(content[PLAYS_AND_CUBE]), text)
                match = sgf.match(text)
            # Level 6 takes twice as long as 4 and saves a twentieth; 1 takes half, for what waits for its luck.
            level = 1 if content.get("part") == PLAYS_AND_CUBE else 4
            packed = base64.b64encode(zlib.compress(text.encode(), level)).decode("ascii")
        return {"sgf": packed, **digest(content, match, gnubg.met(match["length"]) if match["length"] else None)}
    except inside.RefusedError as problem:
        return {"problem": f"the engine refused it: {str(problem) or 'no reason given'}"}
    except MachineError as problem:
        return {"machine": str(problem)}
    except Exception as problem:  # the one barrier round a content
        return {"failed": f"{type(problem).__name__}: {problem}"}


def about(setup: Json) -> Json:
    """Set the engine up and return what it is. Raises MachineError."""
    if problem := room_problem(Path.cwd()):
        raise MachineError(problem)
    identity, evaluation = inside.identity(), inside.opening_evaluation()
    shown = inside.set_up(setup, identity["engine"])
    return {**identity, "opening_evaluation": evaluation, "shown": shown}


def main() -> None:
    """Answer requests until there are no more."""
    inside.bound()
    gc.set_threshold(100_000)  # next to nothing is in a circle: looking for circles takes a tenth of our time
    # The engine asks questions on standard input, and its prints are no answers.
    asked, told = inside.asker("engine.log")
    requests, answers = os.fdopen(asked, "rb"), os.fdopen(told, "wb")
    os.dup2(1, 2)

    def say(line: Json) -> None:
        answers.write(MARK + json.dumps(line).encode() + b"\n")
        answers.flush()

    setup = json.loads(requests.readline())
    try:
        say(about(setup))
    except MachineError as problem:
        say({"machine": str(problem)})
        return
    except Exception as problem:
        say({"failed": f"{type(problem).__name__}: {problem}"})
        return
    for line in requests:
        say(answer(json.loads(line)))
        os.ftruncate(1, 0)  # the boards that the engine prints would fill the disk in time


main()
