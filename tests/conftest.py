"""Fixtures that every test may use."""

import os
from pathlib import Path

import pytest

from bgrating.engine.locate import Engine, find_engine
from bgrating.shards import Limits

ENGINE_VERSION = "1.07.001"
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


@pytest.fixture(scope="session")
def engine() -> Engine:
    """Return the real engine; a machine without it fails: set-up installs it."""
    return find_engine(ENGINE_VERSION)


@pytest.fixture
def limits(tmp_path: Path) -> Limits:
    """Return bounds for an engine process of a test."""
    return Limits(seconds=300.0, log=tmp_path / "engine.log")
