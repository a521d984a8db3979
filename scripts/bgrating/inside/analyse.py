"""Have the engine analyse a match, or judge some of its decisions, and return the figures to keep.

A request has a match as `text` (.mat) and maybe `before`, the engine commands before its import.

`analyse` returns `rows`, one for each of left and right (statistics.py). A request of a collection
also has `expected`, the events that the import must give (import_check.py). Its answer also has
`decisions`, lists by column (decision_rows.py).

With `actions` it returns the `match` with all actions (bgmatch/gnubg_sgf.py), and its match-equity
`table`.

`judge` returns `checked`, the rows of the decisions of `check`, and these as `asked`: (game of the
file, ply, kind).
"""

from collections.abc import Iterable
from operator import itemgetter
from pathlib import Path

import gnubg

from bgmatch import gnubg_sgf as sgf
from bgmatch.records import Json
from bgrating.analysis.import_check import differences
from bgrating.decisions.decision_rows import decisions
from bgrating.engine.cube_decisions import Table
from bgrating.engine.statistics import match_rows
from bgrating.inside.engine import MachineError, RefusedError, captured, no_room, run, saved
from bgrating.tables.csv_safety import escape_controls

_MATCH = Path("content.mat")
_SAVED = Path("analysed.sgf")


def analyse(request: Json) -> Json:
    """Analyse a match. Raises MachineError, RefusedError."""
    games = _load(request)
    run(("analyse match",))
    # A study's counts and errors do without candidates.
    is_study = not request.keys() & {"actions", "expected"}
    match = _saved_match(games, with_plays=not is_study)
    table = _table(match)
    if request.get("actions"):
        return {"match": match, "table": table}
    if not is_study:
        return _digest(request["expected"], match, table)
    rows = match_rows(match, table)
    if not match["length"]:  # a study's money game has an end if it has a winner
        for row, figures in zip(rows, match["figures"], strict=True):
            row["complete"] = row["score"] != row["opponent_score"]
            row["luck_mwc"] = figures.get("luck_mwc")  # in points
    return {"rows": rows}


def _digest(expected: Json, match: Json, table: Table | None) -> Json:
    """Return a collection's figures of a match, or the `problem`: the engine read another."""
    differ = escape_controls("; ".join(differences(expected, match["length"], match["games"])))
    if differ:
        return {"problem": f"the engine read it differently: {differ}"}
    rows = match_rows(match, table)
    decided = list(decisions(match, table))
    for row in rows:
        del row["player"], row["opponent"]
    for row in decided:
        # The text lacks games that it cannot hold.
        row["game"] = expected["game_numbers"][row["game"] - 1]
    names = next(iter(decided), ())
    columns = {name: list(map(itemgetter(name), decided)) for name in names}
    return {"rows": rows, "decisions": columns}


def judge(request: Json) -> Json:
    """Judge single decisions of a match, without those that the engine cannot judge.

    Raises MachineError, RefusedError.
    """
    game_numbers = request["expected"]["game_numbers"]
    selected = {
        (game_numbers.index(game) + 1, ply, kind)
        for game, ply, kind in request["check"]
        if game in game_numbers
    }
    games = _load(request)
    _judge(selected)
    match = _saved_match(games)
    checked = []
    for row in decisions(match, _table(match), every=True):
        is_judged = row["unforced"] if row["kind"] == "play" else row["no_double"] is not None
        if is_judged and (row["game"], row["ply"], row["kind"]) in selected:
            checked.append(row | {"game": game_numbers[row["game"] - 1]})
    return {"asked": request["check"], "checked": checked}


def _judge(selected: Iterable[tuple[int, int, str]]) -> None:
    """Have the engine judge decisions: (game, ply, kind).

    There is no cache of evaluations: it would make last digits depend on the decisions judged
    before.
    """
    # gnubg keeps its evaluation of a take or a pass with the double before it.
    evaluations = {
        (game, ply - (kind in {"take", "pass"}), kind != "play") for game, ply, kind in selected
    }
    run(("first game",))
    at = 1
    for game, ply, is_cube in sorted(evaluations):
        if game > at:
            run((f"next game {game - at}",))
            at = game
        run(("first move",))
        if ply > 1:
            run((f"next {ply - 1}",))
        moves, cube = ("off", "on") if is_cube else ("on", "off")
        run((f"set analysis moves {moves}", f"set analysis cube {cube}", "analyse move"))


def _load(request: Json) -> int:
    """Load a match; return its number of games. Raises RefusedError, MachineError."""
    # ext4 writes a file that replaces another to the disk at once, which takes 3 ms.
    _MATCH.unlink(missing_ok=True)
    try:
        _MATCH.write_text(request["text"], encoding="ascii")
    except OSError as problem:
        raise no_room(problem) from problem
    run(request.get("before", ()))
    printed = captured(f'import mat "{_MATCH}"')
    match = gnubg.match(analysis=0, boards=0)
    if match is None:
        raise RefusedError(printed.strip())
    return len(match["games"])


def _saved_match(games: int, *, with_plays: bool = True) -> Json:
    """Return the analysed match, which has so many games.

    Raises MachineError: gnubg does not report a full disk.
    """
    text = saved("save match", _SAVED)
    if text.endswith(")\n"):
        match = sgf.match(text if with_plays else sgf.PLAYS.sub("", text))
        if len(match["games"]) == games:
            return match
    raise MachineError(
        f"{Path.cwd().parent} had no room for what the engine found: its answer is cut off"
    )


def _table(match: Json) -> Table | None:
    table: Table | None = gnubg.met(match["length"]) if match["length"] else None
    return table
