"""Decisions as pages show them: verdicts in words, and the data that report/board.js draws."""

import itertools
import math
import string
from collections.abc import Sequence

from bgmatch.records import Json, Record
from bgrating.decisions.thresholds import (
    ASKED,
    BLUNDER,
    CHECKED_PLIES,
    COSTLY,
    DIFFERENCE,
    NO_CONTACT,
    QUIZ_PLIES,
)

_PAIRS = itertools.product(string.digits + string.ascii_lowercase, repeat=2)
_LETTERS = {"-0": "00"} | {str(figure): "".join(pair) for figure, pair in enumerate(_PAIRS)}
"""Thousandths as two digits to base 36; gnubg's chances may be slightly below 0 (“-0”)."""


def verdict(row: Record) -> str:
    """Return the verdict on a cube decision (a row of decisions.parquet) in a sentence."""
    no_double = number_or_none(row["no_double"])
    double_take = number_or_none(row["double_take"])
    done = row["kind"] if row["kind"] != "double" else row["played"]
    if no_double is None or double_take is None:
        return {"take": "Took.", "pass": "Passed."}.get(done, "Doubled.")
    is_pass = double_take > 1.0
    answer = f"the right answer is to {'pass' if is_pass else 'take'}"
    if row["loss_emg"] > 0:
        too_early = "Wrong double: not good enough to double."
        return {
            "take": "Wrong take: passing loses less.",
            "pass": "Wrong pass: taking loses less.",
            "double": "Too good to double: play on for a gammon." if is_pass else too_early,
            "no double": f"Missed double; {answer}.",
        }[done]
    too_good = "Too good to double: right to play on."
    return {
        "take": "Right to take.",
        "pass": "Right to pass.",
        "double": f"Right to double; {answer}.",
        "no double": too_good if is_pass and no_double > 1.0 else "Not good enough to double.",
    }[done]


def unchecked(row: Record, plies: int) -> str:
    """Return why the verdict on a decision is uncertain after an analysis of that depth.

    Empty if it is certain.

    Below CHECKED_PLIES two kinds are uncertain: cube decisions without contact, and choices closer
    than a blunder. Decisions that a second look judged (`checked_by`) are certain.
    """
    if plies >= CHECKED_PLIES or row["checked_by"]:
        return ""
    if row["kind"] != "play" and row["theme"] in NO_CONTACT:
        return f"{plies}-ply; not checked in {NO_CONTACT[row['theme']]}"
    return f"{plies}-ply; close, not checked" if _margin(row) < BLUNDER else ""


SURE = 0.1
"""Smallest loss (EMG) of a quiz question that 3-ply has not confirmed."""


def is_asked(row: Record, plies: int) -> bool:
    """Return whether a quiz asks an error.

    It costs ASKED by 2-ply and 3-ply agrees, or it costs SURE.
    """
    is_deep = plies >= CHECKED_PLIES or bool(row["checked_by"])
    least = ASKED if row["confirmed_by"] or plies >= QUIZ_PLIES else SURE
    return is_deep and bool(row["loss_emg"] >= least)


def _depth(row: Record, plies: int) -> str:
    """Return the depth of the verdict on a decision in a few words, and whether an error is
    unchecked.
    """
    if not row["unforced"]:
        return ""
    if row["confirmed_by"]:
        return f"{row['checked_by']}, {row['confirmed_by']} agrees"
    if row["checked_by"]:
        return str(row["checked_by"])
    is_open = plies < CHECKED_PLIES and row["loss_emg"] >= COSTLY
    return f"{plies}-ply, not checked" if is_open else f"{plies}-ply"


def with_depth(row: Record, plies: int) -> Json:
    """Return a decision with the depth of its verdict (`by`), and the losses by other judges
    (`others`).

    `plies` is the depth of the first look; it counts as another judge if its loss differs by
    DIFFERENCE or more. A decision is `disputed` if the loss by XG in the file differs as much.
    """
    is_disputed = bool(row["xg_by"] and abs(row["xg_loss_emg"] - row["loss_emg"]) >= DIFFERENCE)
    others = []
    if abs(row["first_loss_emg"] - row["loss_emg"]) >= DIFFERENCE:
        others.append(f"{plies}-ply: costs {row['first_loss_emg']:.3f}.")
    if row["xg_by"]:
        unlike = ", unlike ours" if is_disputed else ""
        others.append(f"{row['xg_by']}: costs {row['xg_loss_emg']:.3f}{unlike}.")
    by = unchecked(row, plies) or _depth(row, plies)
    return {**row, "by": by, "others": " ".join(others), "disputed": is_disputed}


def _margin(row: Record) -> float:
    """Return the difference between the two choices (EMG); infinite if unknown."""
    if row["kind"] == "play":
        return float(row["loss_emg"]) or math.inf
    no_double = number_or_none(row["no_double"])
    double_take = number_or_none(row["double_take"])
    if no_double is None or double_take is None:
        return math.inf
    return (
        abs(no_double - min(double_take, 1.0))
        if row["kind"] == "double"
        else abs(double_take - 1.0)
    )


def for_boards(rows: Sequence[Record]) -> Json:
    """Return decisions (`with_depth`) as compact columns that report/board.js reads.

    An XGID is cut in two: `place` has the chequers and the dice, `state` the fields that seldom
    change. `lossMwc` and `luck` are in ten thousandths. `played` is an index into the `candidates`,
    or the play itself if it is none of them. Each figure of `chances` is a number of thousandths,
    two digits to base 36.
    """
    xgids = [row["xgid"].removeprefix("XGID=").split(":") for row in rows]
    return {
        "place": [f"{fields[0]}{fields[4]}" for fields in xgids],
        "played": [_among(row["played"], row["candidates"] or "") for row in rows],
        # Only errors have a gnubg ID to copy: IDs of all decisions would be a third of the page.
        "gnubg": [
            f"{row['position_id']}:{row['match_id']}" if row["loss_emg"] >= COSTLY else ""
            for row in rows
        ],
        "loss": [rounded(row["loss_emg"], 3) for row in rows],
        "lossMwc": [_ten_thousandths(row["loss_mwc"]) for row in rows],
        "luck": [_ten_thousandths(row["luck_mwc"]) for row in rows],
        "nd": [rounded(row["no_double"], 3) if row["kind"] != "play" else 0 for row in rows],
        "dt": [rounded(row["double_take"], 3) if row["kind"] != "play" else 0 for row in rows],
        "candidates": [row["candidates"] or "" for row in rows],
        "chances": [_packed(row["chances"] or "") for row in rows],
        "others": {place: row["others"] for place, row in enumerate(rows) if row["others"]},
        "coded": {
            **{name: _coded([row[name] for row in rows]) for name in ("game", "kind", "theme")},
            "side": _coded([int(row["side"] == "right") for row in rows]),
            "state": _coded([":".join([*fields[1:4], "", *fields[5:]]) for fields in xgids]),
            "by": _coded([row["by"] for row in rows]),
            "verdict": _coded([verdict(row) if row["kind"] != "play" else "" for row in rows]),
        },
    }


def _among(played: str, candidates: str) -> int | str:
    plays = [candidate.rpartition(" ")[0] for candidate in candidates.split(";") if candidate]
    return plays.index(played) if played in plays else played


def _packed(chances: str) -> str:
    return "".join(map(_LETTERS.__getitem__, chances.replace(";", " ").split()))


def _coded(values: Sequence[int | str]) -> Json:
    """Return the distinct values (`of`), and a letter for each row (`at`).

    "0" is the first value, "1" the next.
    """
    of = list(dict.fromkeys(values))
    letters = {value: chr(ord("0") + place) for place, value in enumerate(of)}
    return {"of": of, "at": "".join(letters[value] for value in values)}


def number_or_none(value: float | None) -> float | None:
    """Return a number of a table; None for NaN."""
    return None if value is None or math.isnan(value) else value


def _ten_thousandths(value: float | None) -> int | None:
    value = number_or_none(value)
    return None if value is None else round(10_000 * value)


def rounded(value: float | None, digits: int) -> float | None:
    """Return a rounded number for JSON, without a negative zero; None for NaN."""
    value = number_or_none(value)
    return None if value is None else round(value, digits) or 0
