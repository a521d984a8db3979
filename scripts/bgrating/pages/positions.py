"""Decisions as pages show them: in the words of players, and as the data that report/board.js draws."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

Json = dict[str, Any]

COSTLY, BLUNDER = 0.02, 0.08
"""What a decision costs (EMG) from which on it is an error, and a blunder, as eXtreme Gammon counts them."""


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


def for_boards(rows: Iterable[Mapping[str, Any]]) -> Json:
    """Return decisions, rows of decisions.parquet, column by column as report/board.js takes them.

    Columns of a row that are not those of the table (`page`, `chance_left`) are passed on.
    """
    found: dict[str, list[Any]] = {name: [] for name in (
        "game", "kind", "side", "theme", "xgid", "gnubg", "dice", "played", "best", "loss", "lossMwc", "luck", "nd",
        "dt", "candidates", "verdict",
    )}  # fmt: skip
    for row in rows:
        is_play, loss = row["kind"] == "play", row["loss_emg"]
        named = loss >= COSTLY
        values = (
            row["game"], row["kind"], int(row["side"] == "right"), row["theme"], row["xgid"].removeprefix("XGID="),
            f"{row['position_id']}:{row['match_id']}" if named else "", row["dice"], row["played"],
            row["best"] if loss > 0 else "", rounded(loss, 3), rounded(row["loss_mwc"], 4), rounded(row["luck_mwc"], 4),
            None if is_play else rounded(row["no_double"], 3), None if is_play else rounded(row["double_take"], 3),
            row["candidates"] or "", "" if is_play else verdict(row),
        )  # fmt: skip
        for column, value in zip(found.values(), values, strict=True):
            column.append(value)
    return found


def known(value: float | None) -> float | None:
    """Return a number of a table; None where it is absent."""
    return None if value is None or math.isnan(value) else value


def rounded(value: float | None, digits: int) -> float | None:
    """Return a number that JSON can hold; None where it is absent."""
    return None if known(value) is None else round(float(value or 0.0), digits)
