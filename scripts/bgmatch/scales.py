"""Two scales of errors: the performance rating (PR), and FIBS's, on which gnubg rates them."""

from typing import Any

PR = 500.0
"""PR of an error of one point (EMG) a decision."""
OFFSET = 2050.0
"""The rating of a player without errors, as gnubg has it."""


def performance_rating(error: Any, decisions: Any) -> Any:
    """Return the PR of total errors in EMG over unforced moves and close cube decisions.

    Both are numbers or arrays.
    """
    return PR * error / decisions
