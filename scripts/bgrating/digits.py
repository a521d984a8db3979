"""How many digits of a figure are written: those that the arithmetic determines on every machine."""

from collections.abc import Mapping
from typing import Any

DIGITS = 10
"""Significant digits of every written figure. Fits repeat to about 13; the mathematical library's last bit is noise."""
FLOATS = f"%.{DIGITS}g"


def rounded(content: Any) -> Any:
    """Return what goes into a JSON file with all its figures as they are written in tables."""
    if isinstance(content, Mapping):
        return {key: rounded(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [rounded(value) for value in content]
    return float(FLOATS % content) if isinstance(content, float) else content
