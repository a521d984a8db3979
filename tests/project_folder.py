"""Fixtures of folders, without the product: the project's own, and real matches beside it."""

import os
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def project() -> Path:
    return PROJECT


@pytest.fixture(scope="session")
def shared() -> Path:
    folder = PROJECT.parent / "shared"
    if not (folder / "matches").is_dir():
        if os.environ.get("CI"):
            pytest.fail(f"CI must have the real data in {folder}")
        pytest.skip(f"no real match data: {folder} is absent")
    return folder
