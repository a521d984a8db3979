"""1.07.001 against 1.08: what both engines make of the same matches, from the frozen pairs.

Either engine played the simulated matches of config/designs/translation.yaml. People's matches came from two
collections. Both engines analysed every match at 0-ply with luck. tests/oracles/test_translation_frozen.py plays a
shard again.
"""

from bgrating.engine.nets import COMMITTED

OLD, NEW = "1.07.001", "1.08"
NETS = (OLD, NEW)
SIMULATED, PEOPLE = "simulated", "people"
"""Sources of pairs: simulated matches, and people's of all collections together; a collection goes by its folder."""
FROZEN = COMMITTED / "translation" / "frozen" / "pairs.parquet"
TABLES = ("ratios",)
