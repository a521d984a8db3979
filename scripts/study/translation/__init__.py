"""1.07.001 against 1.08: what both engines make of the same matches, from the frozen pairs.

How the pairs were made: simulated matches of config/designs/translation.yaml were played by either engine, people's
matches came from two collections, and both engines analysed every match at 0-ply with luck
(tests/oracles/test_translation_frozen.py plays a shard again).
"""

from pathlib import Path

from bgrating.engine.nets import COMMITTED
from bgrating.rating.files import formula_file

OLD, NEW = "1.07.001", "1.08"
NETS = (OLD, NEW)
STUDY = "translation"
"""The design (config/designs) of the simulated matches."""
SIMULATED, PEOPLE = "simulated", "people"
"""Sources of pairs: simulated matches, and people's of all collections together; a collection goes by its folder."""
FROZEN = COMMITTED / "translation" / "frozen" / "pairs.parquet"
TABLES = ("ratios", "slopes", "prediction")


def formula_files() -> dict[str, Path]:
    """Return the files of the formulas of both nets (`coefficients=fitted`), by nets, as far as they are there."""
    paths = {nets: formula_file("fitted", nets) for nets in NETS}
    return {nets: path for nets, path in paths.items() if path.is_file()}
