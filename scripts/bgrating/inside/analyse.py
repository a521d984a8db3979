"""Have the engine analyse a match, or judge some of its decisions, and return the figures to keep.

A request has a match as `text` (.mat) and maybe `before`, the engine commands before its import.

`analyse` returns `rows`, one for each of left and right (statistics.py). A request of a collection
also has `expected`, the facts that the import must give (import_check.py); then `decisions` has
lists by column (decision_rows.py).

With `actions` it returns the `match` with all actions (bgmatch/gnubg_sgf.py), and its match-equity
`table`.

`judge` returns `checked`, the rows of the decisions of `check`: (game of the file, ply, kind).
"""

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
    text = saved("save match", _SAVED)
    if request.get("actions"):
        match = _complete_match(text, games)
        return {"match": match, "table": _table(match)}
    if "expected" not in request:
        match = _complete_match(
            sgf.PLAYS.sub("", text), games
        )  # counts and errors do without candidates
        rows = match_rows(match, _table(match))
        if not match[
            "length"
        ]:  # a study's money game is complete if it has a winner; its luck is in points
            for row, figures in zip(rows, match["figures"], strict=True):
                row["complete"] = row["score"] != row["opponent_score"]
                row["luck_mwc"] = figures.get("luck_mwc")
        return {"rows": rows}
    return _digest(request, _complete_match(text, games))


def _digest(request: Json, match: Json) -> Json:
    """Return the figures to keep of a collection's match, or the `problem` if the engine read
    another match.
    """
    expected = request["expected"]
    table = _table(match)
    if differ := escape_controls("; ".join(differences(expected, match["length"], match["games"]))):
        return {"problem": f"the engine read it differently: {differ}"}
    rows = match_rows(match, table)
    decided = list(decisions(match, table))
    for row in rows:
        del row["player"], row["opponent"]
    names = decided[0] if decided else ()
    for row in decided:  # the text for the engine lacks games that it cannot read
        row["game"] = expected["places"][row["game"] - 1]
    columns = {name: [row[name] for row in decided] for name in names}
    return {"rows": rows, "decisions": columns}


def judge(request: Json) -> Json:
    """Judge single decisions of a match, without those that the engine cannot judge.

    Raises MachineError, RefusedError.
    """
    places = request["expected"]["places"]
    selected = {
        (places.index(game) + 1, ply, kind)
        for game, ply, kind in request["check"]
        if game in places
    }
    # gnubg keeps its evaluation of a take or a pass with the double before it.
    judged = {
        (game, ply - (kind in {"take", "pass"}), kind != "play") for game, ply, kind in selected
    }
    games = _load(request)
    at = 1
    # There is no cache of evaluations: it would make last digits depend on the decisions judged
    # before.
    gnubg.command("first game")
    for game, action, is_cube in sorted(judged):
        if game > at:
            gnubg.command(f"next game {game - at}")
            at = game
        switches = (
            f"set analysis moves {'off' if is_cube else 'on'}",
            f"set analysis cube {'on' if is_cube else 'off'}",
        )
        run(
            (
                "first move",
                *([f"next {action - 1}"] if action > 1 else []),
                *switches,
                "analyse move",
            )
        )
    match = _complete_match(saved("save match", _SAVED), games)
    checked = []
    for row in decisions(match, _table(match), every=True):
        is_judged = row["unforced"] if row["kind"] == "play" else row["no_double"] is not None
        if is_judged and (row["game"], row["ply"], row["kind"]) in selected:
            checked.append(row | {"game": places[row["game"] - 1]})
    return {"checked": checked}


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
    if (match := gnubg.match(analysis=0, boards=0)) is None:
        raise RefusedError(printed.strip())
    return len(match["games"])


def _complete_match(text: str, games: int) -> Json:
    """Return the match of an SGF with this many games.

    Raises MachineError: gnubg does not report a full disk.
    """
    if not text.endswith(")\n") or len((match := sgf.match(text))["games"]) != games:
        raise MachineError(
            f"{Path.cwd().parent} had no room for what the engine found: its answer is cut off"
        )
    return match


def _table(match: Json) -> Table | None:
    table: Table | None = gnubg.met(match["length"]) if match["length"] else None
    return table
