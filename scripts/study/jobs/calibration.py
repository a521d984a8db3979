"""Measure every interval and every chance that users read against known truth (benchmarks/calibration)."""

import sys
from pathlib import Path

from bgrating.places import DATA
from study.settings import Settings


def run(_: Settings, table: str) -> None:
    sys.path.insert(0, str(DATA / "benchmarks"))
    from calibration.rows import Scale  # noqa: PLC0415 - found only now
    from calibration.run import write  # noqa: PLC0415

    write(Path(table), Scale())
