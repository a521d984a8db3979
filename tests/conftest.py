"""Fixtures that every test may use."""

import os
import random
import signal
from pathlib import Path

import pytest
from hypothesis import settings

import browser
import repeatable  # noqa: F401 - the same examples in every run
import study  # noqa: F401 - before numpy: it selects the code that numpy runs
from bgrating.engine.engine_errors import EngineError
from bgrating.engine.locate import Engine, find_engine
from bgrating.play.archive import Limits
from project_folder import PROJECT, project, shared

__all__ = ["project", "shared"]  # fixtures of every test
FAST = ("tests/unit/", "tests/workflow/test_rooms.py", "tests/workflow/test_repository_files.py")
"""What --fast runs, but for tests marked slow or with an engine or a browser."""
os.environ["BGRATING_STORE"] = "off"  # no test uses the store of whoever runs it
# Commands inherit that a signal is ignored, as jobs of shells do, and after nohup.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, lambda *_: None)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--screenshots", type=Path, help="write pictures of pages into this folder")
    of_axe = "audit pages with this axe.min.js (in the wheel axe-playwright-python)"
    parser.addoption("--axe", type=Path, help=of_axe)
    of_fast = "what takes seconds alone: no whole runs, engines, browsers or pip"
    parser.addoption("--fast", action="store_true", help=of_fast)
    parser.addoption("--shuffle", type=int, help="run in a random order, drawn with this seed")
    parser.addoption("--mutants", help="the part of the mutants to judge, or all of them")
    parser.addoption("--all", action="store_true", help="the tests marked slow too, as CI does")
    parser.addoption("--nightly", action="store_true", help="the tests marked slow or nightly too")


def pytest_configure(config: pytest.Config) -> None:
    browser.is_wanted = not config.getoption("--fast")
    if config.getoption("--nightly"):
        settings.load_profile("random")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return a worker more than there are cores, since tests wait for processes and browsers."""
    return (os.cpu_count() or 1) + 1


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    own = collection_path.relative_to(PROJECT).as_posix()
    is_left_out = config.getoption("--fast") and own.endswith(".py") and not own.startswith(FAST)
    return True if is_left_out and "test_" in own else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    unwanted = set() if config.getoption("--nightly") else {"nightly"}
    if not (config.getoption("--all") or config.getoption("--nightly")):
        unwanted.add("slow")
    if config.getoption("--fast"):
        unwanted |= {"slow", "look", "browser", "engine", "embedded", "old_engine"}
    words = [{*item.keywords, *getattr(item, "fixturenames", ())} for item in items]
    left_out = [item for item, own in zip(items, words, strict=True) if own & unwanted]
    config.hook.pytest_deselected(items=left_out)
    kept = [item for item, own in zip(items, words, strict=True) if not own & unwanted]
    # Whole commands, whose files take longest, are begun first.
    items[:] = sorted(kept, key=lambda item: "unit/" in item.nodeid)
    seed = config.getoption("--shuffle")
    if seed is not None:
        random.Random(seed).shuffle(items)


@pytest.fixture
def look(request: pytest.FixtureRequest) -> browser.Look:
    """Return a function that looks at a page, by name, in a browser: its console must stay empty.

    A request that the page makes would be refused by its policy and told there. With --screenshots
    the pictures stay, on wide and narrow screens, light and dark; with --axe there must be no
    violation of accessibility.
    """
    pictures, axe = (request.config.getoption(option) for option in ("--screenshots", "--axe"))

    def seen(name: str, page: Path) -> None:
        for width, dark in browser.SEEN if pictures else browser.SEEN[:1]:
            with browser.opened(page) as tab:
                picture = tab.picture(width, dark=dark)
                assert (tab.said(), len(picture) > 10_000) == ([], True), name
                if pictures:
                    pictures.mkdir(parents=True, exist_ok=True)
                    looks = f"{name}-{width}-{'dark' if dark else 'light'}.png"
                    (pictures / looks).write_bytes(picture)
                found = tab.axe(axe) if axe else []
                assert found == [], name

    return seen


@pytest.fixture(scope="session")
def engine() -> Engine:
    return find_engine()


@pytest.fixture(scope="session")
def embedded(engine: Engine) -> Engine:
    """Return the embedded engine, which the tests' figures are from; skip where it is absent."""
    if not engine.known.is_module:
        pytest.skip(f"needs the embedded engine; runs here take {engine.known.name}")
    return engine


@pytest.fixture(scope="session")
def old_engine() -> Engine:
    """Return the system's gnubg 1.07.001, for the oracles of that version, or skip."""
    try:
        return find_engine("system-1.07.001")
    except EngineError as absent:
        pytest.skip(f"no gnubg 1.07.001 to compare with: {absent}")


@pytest.fixture
def limits(tmp_path: Path) -> Limits:
    return Limits(seconds=300.0, log=tmp_path / "engine.log")
