"""Decisions as pages show them: verdicts in words, and the data that report/board.js draws."""

import math
from collections.abc import Sequence

from bgmatch.records import Json, Record
from bgrating.decisions.thresholds import (
    CHECKED_PLIES,
    COSTLY,
    DIFFERENCE,
    NO_CONTACT,
    QUIZ_LOSS,
    QUIZ_PLIES,
)

SURE = 0.1
"""Smallest loss (EMG) of a quiz question that 3-ply has not confirmed."""
_SAME = ("xgid", "candidates", "chances", "others", "game", "kind", "theme", "side", "played", "by")
"""Columns of decisions that boards show as they are."""
_TOO_EARLY = "Wrong double: not good enough to double."


def verdict(row: Record) -> str:
    """Return the verdict on a cube decision (a row of decisions.parquet) in a sentence.

    The text is empty for a play.
    """
    no_double = number_or_none(row["no_double"])
    double_take = number_or_none(row["double_take"])
    done = row["kind"] if row["kind"] != "double" else row["played"]
    if done == "play":
        return ""
    if no_double is None or double_take is None:
        return {"take": "Took.", "pass": "Passed."}.get(done, "Doubled.")
    is_pass = double_take > 1.0
    is_too_good = is_pass and no_double > 1.0
    best = "pass" if is_pass else "take"
    answer = f"the right answer is to {best}"
    early = "Too good to double: play on for a gammon." if is_pass else _TOO_EARLY
    wait = "Too good to double: right to play on." if is_too_good else "Not good enough to double."
    right, wrong = {
        "take": ("Right to take.", "Wrong take: passing loses less."),
        "pass": ("Right to pass.", "Wrong pass: taking loses less."),
        "double": (f"Right to double; {answer}.", early),
        "no double": (wait, f"Missed double; {answer}."),
    }[done]
    return wrong if row["loss_emg"] > 0 else right


def is_asked(row: Record, plies: int) -> bool:
    """Return whether the quiz asks about an error.

    The error costs QUIZ_LOSS or more by 2-ply and 3-ply confirms it, or it costs SURE or more.
    """
    is_deep = plies >= CHECKED_PLIES or bool(row["checked_by"])
    least = QUIZ_LOSS if row["confirmed_by"] or plies >= QUIZ_PLIES else SURE
    return is_deep and bool(row["loss_emg"] >= least)


def _depth(row: Record, plies: int) -> str:
    """Return the depth of the verdict on a decision in a few words.

    Errors, and cube decisions without contact, are not checked until the second look has judged
    them.
    """
    if not row["unforced"]:
        return ""
    if row["confirmed_by"]:
        return f"{row['checked_by']}, {row['confirmed_by']} agrees"
    if row["checked_by"]:
        return str(row["checked_by"])
    is_blind = row["kind"] != "play" and row["theme"] in NO_CONTACT
    is_open = plies < CHECKED_PLIES and (is_blind or row["loss_emg"] >= COSTLY)
    return f"{plies}-ply, not checked" if is_open else f"{plies}-ply"


def with_depth(row: Record, plies: int) -> Json:
    """Return a decision with the depth of its verdict (`by`), and the losses by other judges
    (`others`).

    `plies` is the depth of the first look; it counts as another judge if its loss differs by
    DIFFERENCE or more. XG's loss in the file is "unlike ours" if it differs as much.
    """
    other_losses = []
    if abs(row["first_loss_emg"] - row["loss_emg"]) >= DIFFERENCE:
        other_losses.append(f"{plies}-ply: costs {row['first_loss_emg']:.3f}.")
    if row["xg_by"]:
        is_unlike = abs(row["xg_loss_emg"] - row["loss_emg"]) >= DIFFERENCE
        unlike = ", unlike ours" if is_unlike else ""
        other_losses.append(f"{row['xg_by']}: costs {row['xg_loss_emg']:.3f}{unlike}.")
    return {**row, "by": _depth(row, plies), "others": " ".join(other_losses)}


def columns_of(rows: Sequence[Record], names: Sequence[str]) -> Json:
    """Return some columns of rows as lists by name, with an empty text for None."""
    columns: Json = {}
    for name in names:
        columns[name] = [row[name] or "" for row in rows]
    return columns


def for_boards(rows: Sequence[Record]) -> Json:
    """Return decisions (`with_depth`) as columns that report/board.js reads.

    Losses and luck of the match are shares of it, and chances thousandths.
    """
    return columns_of(rows, _SAME) | {
        "loss": [rounded(row["loss_emg"], 3) for row in rows],
        "lossMwc": [rounded(row["loss_mwc"], 4) for row in rows],
        "luck": [rounded(row["luck_mwc"], 4) for row in rows],
        "noDouble": [rounded(row["no_double"], 3) for row in rows],
        "doubleTake": [rounded(row["double_take"], 3) for row in rows],
        "verdict": [verdict(row) for row in rows],
    }


def number_or_none(value: float | None) -> float | None:
    """Return a number of a table; None for NaN."""
    return None if value is None or math.isnan(value) else value


def rounded(value: float | None, digits: int) -> float | None:
    """Return a rounded number for JSON, without a negative zero; None for NaN."""
    value = number_or_none(value)
    return None if value is None else round(value, digits) or 0
