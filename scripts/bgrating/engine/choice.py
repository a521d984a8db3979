"""Choose the engine of a run, and with it the nets whose results it makes and reads."""

import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bgrating.engine.errors import EngineError
from bgrating.engine.locate import Engine, find_engine
from bgrating.engine.nets import known_engines
from bgrating.engine.session import run_job

_SECONDS = 60.0


def engine_of(config: Mapping[str, Any]) -> Engine:
    """Return the engine that the settings ask for, with the nets that they name. Raises EngineError."""
    return find_engine(config["engine"], config["nets"])


def nets_of_run(config: Mapping[str, Any]) -> str:
    """Return the nets of a run: those that the settings name, else those of the engine that is found.

    Where there is no engine it is the newest known nets: much can be done without one, and what cannot says so.
    Raises EngineError where the engine that the settings name is not there.
    """
    if config["nets"]:
        return str(config["nets"])
    try:
        return engine_of(config).known.nets
    except EngineError:
        if config["engine"]:
            raise
        return known_engines()[0].nets


def check_engine(engine: Engine) -> None:
    """Start an engine without a task, which checks its version, weights and databases. Raises EngineError."""
    with tempfile.TemporaryDirectory(prefix="bgrating-") as place:
        run_job(
            engine,
            {"task": "analyse", "match_equity_table": "Kazaross-XG2", "commands": [], "show": [], "matches": []},
            folder=Path(place),
            clock=datetime(2003, 8, 7, tzinfo=UTC),
            time_limit=_SECONDS,
            log=Path(place) / "engine.log",
        )
