"""A system's gnubg gets AMD's reciprocals here, as when 1.07.001 played the frozen matches."""

from pathlib import Path

import pytest

from bgrating.engine import commands

RECIPROCAL = Path(__file__).with_name("reciprocal.py")
SETTLE = f"> import runpy; runpy.run_path({str(RECIPROCAL)!r})['settle']()"


@pytest.fixture(autouse=True)
def _amds_reciprocals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every engine begin with the command; in the embedded one it replaces nothing."""
    monkeypatch.setattr(commands, "ALONE", (SETTLE, *commands.ALONE))
