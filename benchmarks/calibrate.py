"""Measure every interval and every chance that users read.

Called as `calibrate.py FILE [SHARE [MODULE...]]`.
"""

import sys
from pathlib import Path

from calibration.rows import Scale
from calibration.run import SIMULATIONS, write

if __name__ == "__main__":
    path, *words = sys.argv[1:]
    share = float(words[0]) if words else 1.0
    write(Path(path), Scale(share), words[1:] or SIMULATIONS)
