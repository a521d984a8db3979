"""The reciprocals that stand in for a processor's own, and what 1.07.001 plays with them."""

import hashlib
from pathlib import Path

import numpy as np
import pytest

from bgrating.engine import commands, levels
from bgrating.engine.locate import Engine
from bgrating.play.archive import Limits
from bgrating.play.designs import ShardTask
from bgrating.play.shards import play_shard
from reciprocal import reciprocals

# Of 1.07.001 on Intel's processors, and with docs/gnubg/intel_reciprocal.c on others.
INTEL_BYTES = "e9f4be38bda3580262d0e69e17d6ec21a980f3eb917a3083489dfdd39756eb18"
RECIPROCAL = Path(__file__).with_name("reciprocal.py")
INTEL_TABLE = "[(2**26 // (4096 + k - k % 2 + 1) + 1) // 2 - 4096 for k in range(4096)]"


def test_reciprocals_are_as_exact_as_the_instruction_promises() -> None:
    """Intel's and AMD's manuals: the relative error of RCPPS is at most 1.5 / 4096."""
    found = (np.array(reciprocals()) + 4096) / 8192
    for end in (0, 1):
        assert np.abs(found * (1 + (np.arange(4096) + end) / 4096) - 1).max() <= 1.5 / 4096


def test_no_processor_decides_what_1_07_plays(
    old_engine: Engine, limits: Limits, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """With Intel's reciprocals in our table it plays as on Intel's processors, here too."""
    text = RECIPROCAL.read_text()
    assert text.count("    return found\n") == 1
    intel = tmp_path / "reciprocal.py"
    intel.write_text(text.replace("    return found\n", f"    return {INTEL_TABLE}\n"))
    settles = [command.replace(str(RECIPROCAL), str(intel)) for command in commands.ALONE]
    monkeypatch.setattr(commands, "ALONE", (*settles,))
    players = (levels.player("beginner+noise-0.8"), levels.player("expert"))
    play_shard(old_engine, ShardTask(players, 3, 1, 0, 3), tmp_path / "shard.zip", limits)
    assert hashlib.sha256((tmp_path / "shard.zip").read_bytes()).hexdigest() == INTEL_BYTES
