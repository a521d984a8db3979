"""The engine that runs this: its identity, its settings, its output, its bounds."""

import ctypes
import hashlib
import os
import resource
import signal
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

import gnubg

from bgrating.engine.protocol import MEMORY, memory_limit

# Debian builds the two-sided bearoff database here when gnubg is installed; without it gnubg plays endings differently.
DATA_FOLDERS_BESIDE = (Path("/var/lib/gnubg"),)
# The opening position, as gnubg names positions.
OPENING = "4HPwATDgc/ABMA"
DATA_FILES = ("gnubg.wd", "gnubg.weights", "gnubg_os0.bd", "gnubg_os.bd", "gnubg_ts0.bd", "gnubg_ts.bd")
ROOM = 100_000
"""Bytes that the engine needs for its files: its description, a short match."""

PR_SET_PDEATHSIG = 1  # of linux/prctl.h

Json = dict[str, Any]


class UnknownTableError(Exception):
    """The engine lacks a match-equity table; the message names it and those that there are."""


# A CDLL is a circle of references: one a command would be kept until Python looks for circles.
_LIBRARY = ctypes.CDLL(None)


class RefusedError(Exception):
    """The engine does not read a match; the message is what it printed."""


class MachineError(Exception):
    """The machine lacked something: the same request may be answered well at another time."""


def bound() -> None:
    """End with the process that started this one, even where that is killed, and bound the memory, where Linux can."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    most = min(MEMORY, memory_limit() or MEMORY)  # whoever has a lower limit may not raise it
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def require_room() -> None:
    """Raise MachineError where the engine's folder has no room for its files: gnubg reports no error of the disk."""
    probe = Path("room")
    try:
        probe.write_bytes(bytes(ROOM))
    except OSError as problem:
        raise no_room(problem.strerror or "no room") from problem
    finally:
        probe.unlink(missing_ok=True)


def no_room(why: str) -> MachineError:
    return MachineError(f"{Path.cwd().parent} has no room for the engine's files ({why})")


def streams() -> tuple[IO[bytes], IO[bytes]]:
    """Return standard input and output as they were; from now on the engine reads nothing, and prints to the error."""
    asked, told = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return os.fdopen(asked, "rb"), os.fdopen(told, "wb")


def captured(command: str) -> str:
    """Return the text that gnubg prints for a command, on standard output and standard error."""
    _LIBRARY.fflush(None)
    kept = [os.dup(stream) for stream in (1, 2)]
    with tempfile.TemporaryFile() as text:
        try:
            os.dup2(text.fileno(), 1)
            os.dup2(text.fileno(), 2)
            gnubg.command(command)
            _LIBRARY.fflush(None)
        finally:
            for stream, copy in zip((1, 2), kept, strict=True):
                os.dup2(copy, stream)
                os.close(copy)
        text.seek(0)
        return text.read().decode("utf-8", "replace")


def run(commands: Iterable[str]) -> None:
    for command in commands:
        gnubg.command(command)


def data_folder(engine_text: str) -> Path:
    """Return the folder of weights, databases and match-equity tables: the last line of `show engine`."""
    return Path(engine_text.strip().splitlines()[-1].strip(" -"))


def match_equity_table(engine_text: str, name: str) -> Path:
    """Return the file of a match-equity table. Raises UnknownTableError: gnubg would use another and not complain."""
    table = data_folder(engine_text) / "met" / f"{name}.xml"
    if not table.is_file():
        there = ", ".join(sorted(path.stem for path in table.parent.glob("*.xml") if path.stem != "catalog"))
        raise UnknownTableError(f"this engine has no match-equity table {name}; it has {there}")
    return table


def checksums(engine_text: str) -> dict[str, str]:
    sums: dict[str, str] = {}
    for place in (data_folder(engine_text), *DATA_FOLDERS_BESIDE):
        for name in DATA_FILES:
            if name not in sums and (place / name).is_file():
                sums[name] = hashlib.sha256((place / name).read_bytes()).hexdigest()
    return sums


def identity() -> Json:
    """Return the engine's `version`, what it prints about itself (`engine`) and `checksums`."""
    version, engine = captured("show version").split("\n", 1)[0].strip(), captured("show engine")
    return {"version": version, "engine": engine, "checksums": checksums(engine)}


def set_up(job: Json, engine_text: str) -> dict[str, str]:
    """Set a job's match-equity table and run its `commands`; return what those of `show` print."""
    table = match_equity_table(engine_text, job["match_equity_table"])
    run((f'set met "{table}"', *job["commands"]))
    return {command: captured(command) for command in job["show"]}


def opening_evaluation() -> list[float]:
    """Return the neural net's five chances in the opening position.

    They are in gnubg's order: a win, a gammon, a backgammon, a lost gammon, a lost backgammon. Their last digits tell
    one way to divide from another.
    """
    money_cube = gnubg.cubeinfo(1, -1, 0, 0, (0, 0), 0, 0)
    plain = {"cubeful": 0, "plies": 0, "deterministic": 0, "noise": 0.0}
    return list(gnubg.evaluate(gnubg.positionfromid(OPENING), money_cube, plain)[:5])
