"""A system's gnubg has AMD's reciprocals in these tests: with them the frozen matches of 1.07.001
were played.
"""

from pathlib import Path

import pytest

from bgrating.engine import commands

RECIPROCAL = Path(__file__).with_name("reciprocal.py")
SETTLE = f"> import runpy; runpy.run_path({str(RECIPROCAL)!r})['settle']()"


@pytest.fixture(autouse=True)
def _amds_reciprocals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every engine begin with the command; in the embedded one there is no such instruction to
    replace.
    """
    monkeypatch.setattr(commands, "ALONE", (SETTLE, *commands.ALONE))
