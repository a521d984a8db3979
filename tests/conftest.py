"""Fixtures that every test may use."""

import os
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def project() -> Path:
    """Return the project's root."""
    return PROJECT


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of real data beside the project; skip where it is absent, fail in CI."""
    folder = PROJECT.parent / "shared"
    if not (folder / "matches").is_dir():
        if os.environ.get("CI"):
            pytest.fail(f"CI must have the real data in {folder}")
        pytest.skip(f"no real match data: {folder} is absent")
    return folder
