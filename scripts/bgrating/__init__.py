"""From backgammon errors to ratings.

Noise-injected play, analysis and rating formulas with GNU Backgammon.
"""

import importlib
from typing import TYPE_CHECKING, Any

from bgmatch.errors import BgmatchError

if TYPE_CHECKING:
    from bgmatch import read_matches, write_mat
    from bgrating.api import rate
    from bgrating.collection.rate_request import Progress
    from bgrating.collection.rated_results import RateResult
    from bgrating.rating.calculator import Player, calculate, predict, rating_of

__version__ = "0.1.0"
__all__ = [
    "BgratingError",
    "Player",
    "Progress",
    "RateResult",
    "calculate",
    "predict",
    "rate",
    "rating_of",
    "read_matches",
    "write_mat",
]

BgratingError = BgmatchError
"""Base class of errors that the user can fix; the message names the problem and the remedy."""

INSTALL = "in a clone of bgrating: pip install ./scripts/bgmatch '.[{}]'"
"""The remedy for a missing extra; both packages are on no index yet."""

# The module of each public name that is loaded on first use: every start of a job imports this
# package.
_PUBLIC = {
    "rate": "bgrating.api",
    "Progress": "bgrating.collection.rate_request",
    "RateResult": "bgrating.collection.rated_results",
    "Player": "bgrating.rating.calculator",
    "calculate": "bgrating.rating.calculator",
    "rating_of": "bgrating.rating.calculator",
    "predict": "bgrating.rating.calculator",
    "read_matches": "bgmatch",
    "write_mat": "bgmatch",
}


def __dir__() -> list[str]:
    return __all__


if not TYPE_CHECKING:  # else every misspelt name would have the type Any

    def __getattr__(name: str) -> Any:
        if name not in _PUBLIC:
            raise AttributeError(
                f"module 'bgrating' has no attribute {name!r}; it has {', '.join(__all__)}"
            )
        try:
            return getattr(importlib.import_module(_PUBLIC[name]), name)
        except ModuleNotFoundError as missing:
            message = f"{missing}; bgrating.{name} needs an extra; {INSTALL.format('rate')}"
            raise ModuleNotFoundError(message, name=missing.name) from None
