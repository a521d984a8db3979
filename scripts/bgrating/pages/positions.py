"""Decisions as pages show them: in the words of players, and as the data that report/board.js draws."""

import itertools
import math
import string
from collections.abc import Mapping, Sequence
from typing import Any

from bgrating.decisions.thresholds import ASKED, BLUNDER, CHECKED_PLIES, COSTLY, DIFFERENCE, NO_CONTACT, QUIZ_PLIES

Json = dict[str, Any]

_PAIRS = itertools.product(string.digits + string.ascii_lowercase, repeat=2)
_LETTERS = {"-0": "00"} | {str(figure): "".join(pair) for figure, pair in enumerate(_PAIRS)}
"""Figures to base 36, two letters each; gnubg's chances may be a trifle below 0."""


def verdict(row: Mapping[str, Any]) -> str:
    """Return what to say of a cube decision (a row of decisions.parquet), in the words of players."""
    no_double, double_take, is_wrong = known(row["no_double"]), known(row["double_take"]), row["loss_emg"] > 0
    done = row["kind"] if row["kind"] != "double" else row["played"]
    if no_double is None or double_take is None:
        return {"take": "Took.", "pass": "Passed."}.get(done, "Doubled.")
    is_pass = double_take > 1.0
    answer = f"the right answer is to {'pass' if is_pass else 'take'}"
    right = {
        "take": "Right to take.",
        "pass": "Right to pass.",
        "double": f"Right to double; {answer}.",
        "no double": "Too good to double: right to play on."
        if is_pass and no_double > 1.0
        else "Not good enough to double.",
    }
    wrong = {
        "take": "Wrong take: passing loses less.",
        "pass": "Wrong pass: taking loses less.",
        "double": "Too good to double: play on for a gammon."
        if is_pass
        else "Wrong double: not good enough to double.",
        "no double": f"Missed double; {answer}.",
    }
    return (wrong if is_wrong else right)[done]


def unchecked(row: Mapping[str, Any], plies: int) -> str:
    """Return why the verdict on a decision is not certain, for an analysis of that depth; nothing where it is.

    Below CHECKED_PLIES two kinds are not: cube decisions without contact, and whatever is closer than a blunder. What a
    second look judged (`checked_by`) is certain.
    """
    if plies >= CHECKED_PLIES or row["checked_by"]:
        return ""
    if row["kind"] != "play" and row["theme"] in NO_CONTACT:
        return f"{plies}-ply; not checked in {NO_CONTACT[row['theme']]}"
    return f"{plies}-ply; close, not checked" if _margin(row) < BLUNDER else ""


SURE = 0.1
"""Smallest loss (EMG) of a question that 3-ply has not confirmed."""


def is_asked(row: Mapping[str, Any], plies: int) -> bool:
    """Return whether a quiz asks an error: by 2-ply it costs ASKED and 3-ply agrees, or it costs SURE."""
    is_deep = plies >= CHECKED_PLIES or bool(row["checked_by"])
    least = ASKED if row["confirmed_by"] or plies >= QUIZ_PLIES else SURE
    return is_deep and bool(row["loss_emg"] >= least)


def depth(row: Mapping[str, Any], plies: int) -> str:
    """Return how deep the verdict on a decision is, in two words, and whether it is an unchecked error."""
    if not row["unforced"]:
        return ""
    if row["confirmed_by"]:
        return f"{row['checked_by']}, {row['confirmed_by']} agrees"
    if row["checked_by"]:
        return str(row["checked_by"])
    is_open = plies < CHECKED_PLIES and row["loss_emg"] >= COSTLY
    return f"{plies}-ply, not checked" if is_open else f"{plies}-ply"


def others(row: Mapping[str, Any], plies: int) -> str:
    """Return what other judges say of a decision: our first where it differs by DIFFERENCE or more, and the file's."""
    first = ""
    if abs(row["first_loss_emg"] - row["loss_emg"]) >= DIFFERENCE:
        first = f"{plies}-ply: costs {row['first_loss_emg']:.3f}."
    if not row["xg_by"]:
        return first
    own = f"{row['xg_by']}: costs {row['xg_loss_emg']:.3f}{', unlike ours' * disputed(row)}."
    return f"{first} {own}".strip()


def disputed(row: Mapping[str, Any]) -> bool:
    """Return whether the file's own loss and ours differ by DIFFERENCE or more."""
    return bool(row["xg_by"]) and bool(abs(row["xg_loss_emg"] - row["loss_emg"]) >= DIFFERENCE)


def with_depth(row: Mapping[str, Any], plies: int) -> Json:
    """Return a decision with what pages say of its verdict; `plies` is the depth of the first judge."""
    by = unchecked(row, plies) or depth(row, plies)
    return {**row, "by": by, "others": others(row, plies), "disputed": disputed(row)}


def _margin(row: Mapping[str, Any]) -> float:
    """Return by how much the judge prefers the better choice (EMG); infinite where that is not known."""
    if row["kind"] == "play":
        return float(row["loss_emg"]) or math.inf
    no_double, double_take = known(row["no_double"]), known(row["double_take"])
    if no_double is None or double_take is None:
        return math.inf
    return abs(no_double - min(double_take, 1.0)) if row["kind"] == "double" else abs(double_take - 1.0)


def for_boards(rows: Sequence[Mapping[str, Any]]) -> Json:
    """Return decisions (`with_depth`) as columns that report/board.js reads, as short as they can be.

    An XGID is cut in two: `place` has the chequers and the dice, `state` all that seldom changes. Chances and what is
    won or lost are ten thousandths. `played` is a place among the `candidates` where it is one of them. Each figure of
    `chances` is a number of thousandths, two letters to base 36.
    """
    cube = [row["kind"] != "play" for row in rows]
    xgids = [row["xgid"].removeprefix("XGID=").split(":") for row in rows]
    return {
        "place": [f"{fields[0]}{fields[4]}" for fields in xgids],
        "played": [_among(row["played"], row["candidates"] or "") for row in rows],
        # Errors have a name to copy; the others' would be a third of the page.
        "gnubg": [f"{row['position_id']}:{row['match_id']}" if row["loss_emg"] >= COSTLY else "" for row in rows],
        "loss": [rounded(row["loss_emg"], 3) for row in rows],
        "lossMwc": [_ten_thousandths(row["loss_mwc"]) for row in rows],
        "luck": [_ten_thousandths(row["luck_mwc"]) for row in rows],
        "nd": [rounded(row["no_double"], 3) if is_cube else 0 for row, is_cube in zip(rows, cube, strict=True)],
        "dt": [rounded(row["double_take"], 3) if is_cube else 0 for row, is_cube in zip(rows, cube, strict=True)],
        "candidates": [row["candidates"] or "" for row in rows],
        "chances": [_packed(row["chances"] or "") for row in rows],
        "others": {place: row["others"] for place, row in enumerate(rows) if row["others"]},
        "coded": {
            **{name: _coded([row[name] for row in rows]) for name in ("game", "kind", "theme")},
            "side": _coded([int(row["side"] == "right") for row in rows]),
            "state": _coded([":".join([*fields[1:4], "", *fields[5:]]) for fields in xgids]),
            "by": _coded([row["by"] for row in rows]),
            "verdict": _coded([verdict(row) if is_cube else "" for row, is_cube in zip(rows, cube, strict=True)]),
        },
    }


def _among(played: str, candidates: str) -> int | str:
    plays = [candidate.rpartition(" ")[0] for candidate in candidates.split(";") if candidate]
    return plays.index(played) if played in plays else played


def _packed(chances: str) -> str:
    return "".join(map(_LETTERS.__getitem__, chances.replace(";", " ").split()))


def _coded(values: Sequence[int | str]) -> Json:
    """Return few different values once each, and a letter for each row: "0" is the first of them, "1" the second."""
    of = list(dict.fromkeys(values))
    letters = {value: chr(ord("0") + place) for place, value in enumerate(of)}
    return {"of": of, "at": "".join(letters[value] for value in values)}


def known(value: float | None) -> float | None:
    """Return a number of a table; None where it is absent."""
    return None if value is None or math.isnan(value) else value


def _ten_thousandths(value: float | None) -> int | None:
    value = known(value)
    return None if value is None else round(10_000 * value)


def rounded(value: float | None, digits: int) -> float | None:
    """Return a number that JSON can hold, as short as it can be written; None where it is absent."""
    value = known(value)
    return None if value is None else round(value, digits) or 0
