"""From backgammon errors to ratings.

Noise-injected play, analysis and rating formulas with GNU Backgammon.
"""

import importlib
from typing import Any

from bgmatch.errors import BgmatchError

__version__ = "0.1.0"

BgratingError = BgmatchError
"""Base class of errors that the user can fix; the message names the problem and the remedy."""

# The public API (docs/reference/api.md), loaded on first use: every start of a job imports this
# package.
_PUBLIC = {
    "rate": "bgrating.api",
    "Player": "bgrating.rating.calculator",
    "calculate": "bgrating.rating.calculator",
    "rating_of": "bgrating.rating.calculator",
    "predict": "bgrating.rating.calculator",
    "read_matches": "bgmatch",
    "write_mat": "bgmatch",
}


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(
            f"module 'bgrating' has no attribute {name!r}; it has {', '.join(_PUBLIC)}"
        )
    try:
        return getattr(importlib.import_module(_PUBLIC[name]), name)
    except ModuleNotFoundError as missing:
        message = f"{missing}: bgrating.{name} needs pip install 'bgrating[rate]'"
        raise ModuleNotFoundError(message, name=missing.name) from None
