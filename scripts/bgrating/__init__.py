"""From backgammon errors to ratings: noise-injected play, analysis and rating formulas with GNU Backgammon.

Numpy and OpenBLAS choose their code by the processor, and each choice rounds differently. They read these settings when
they are loaded. Importing this package before them selects the code that all x86-64 processors run alike. pytest and
Snakemake do so. Snakemake's scripts inherit the settings, on a cluster too.
"""

import importlib
import os
import platform
from typing import Any

from bgrating.matchtext.errors import BgmatchError

__version__ = "0.1.0"

if platform.machine() in {"x86_64", "AMD64"}:
    os.environ |= {
        "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
        "OPENBLAS_CORETYPE": "Nehalem",
        "OPENBLAS_NUM_THREADS": "1",  # sums are split by the number of cores
    }

BgratingError = BgmatchError
"""Base class of errors that the user can fix; the message names the problem and the remedy."""

# The public API (docs/reference/api.md), loaded on first use: every start of a job imports this package.
_PUBLIC = {
    "rate": "bgrating.api",
    "Player": "bgrating.rating.calculator",
    "calculate": "bgrating.rating.calculator",
    "rating_of": "bgrating.rating.calculator",
    "predict": "bgrating.rating.calculator",
    "read_matches": "bgrating.matchtext",
    "write_mat": "bgrating.matchtext",
}


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'bgrating' has no attribute {name!r}; it has {', '.join(_PUBLIC)}")
    try:
        return getattr(importlib.import_module(_PUBLIC[name]), name)
    except ModuleNotFoundError as missing:
        message = f"{missing}: bgrating.{name} needs pip install 'bgrating[rate]'"
        raise ModuleNotFoundError(message, name=missing.name) from None
