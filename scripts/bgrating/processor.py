"""Have numpy and OpenBLAS run what all x86-64 processors share, so figures are equal everywhere.

Both choose their code by the processor, and each choice rounds differently. They read these
settings when they are loaded. Commands and jobs settle them for themselves; `bgrating.rate` does
for a process of its own (apart.py).
"""

import os
import platform

SETTINGS: dict[str, str] = {}
"""Variables of the environment."""

if platform.machine() in {"x86_64", "AMD64"}:
    SETTINGS |= {
        "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
        "OPENBLAS_CORETYPE": "Nehalem",
        "OPENBLAS_NUM_THREADS": "1",  # sums are split by the number of cores
    }


def settle() -> None:
    """Settle the code for this process and those that it starts.

    A command calls it before numpy is imported.
    """
    os.environ |= SETTINGS
