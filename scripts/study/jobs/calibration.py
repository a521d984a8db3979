"""Measure every interval and every chance that users read against known truth
(benchmarks/calibration).
"""

import importlib
import sys
from pathlib import Path

from bgrating.places import DATA
from study.workflow_settings import Settings


def run(_: Settings, table: str) -> None:
    sys.path.insert(0, str(DATA / "benchmarks"))
    importlib.import_module("calibration.run").write(Path(table))
