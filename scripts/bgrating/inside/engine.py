"""Identify, set up and bound the engine of this process, and catch what it prints."""

import ctypes
import hashlib
import os
import resource
import signal
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import IO

import gnubg

from bgmatch.records import Json
from bgrating.engine.protocol import MEMORY, memory_limit

# Debian puts the two-sided bearoff database here when gnubg is installed; without it gnubg plays
# endings differently.
DATA_FOLDERS_BESIDE = (Path("/var/lib/gnubg"),)
# The opening position, as gnubg names positions.
OPENING = "4HPwATDgc/ABMA"
DATA_FILES = (
    "gnubg.wd",
    "gnubg.weights",
    "gnubg_os0.bd",
    "gnubg_os.bd",
    "gnubg_ts0.bd",
    "gnubg_ts.bd",
)
ROOM = 100_000
"""Bytes that the engine needs for its files: its description and a short match."""

PR_SET_PDEATHSIG = 1  # of linux/prctl.h


class UnknownTableError(Exception):
    """The engine lacks a match-equity table; the message names it and the tables there are."""


# A CDLL is a reference cycle: one per command would fill the memory until the next garbage
# collection.
_LIBRARY = ctypes.CDLL(None)


class RefusedError(Exception):
    """The engine cannot read a match; the message is what it printed."""


class MachineError(Exception):
    """The machine lacked something: the same request may succeed at another time."""


def bound() -> None:
    """On Linux let this process die with its parent, even a killed one; bound its memory."""
    if sys.platform != "linux":
        return
    _LIBRARY.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    most = min(MEMORY, memory_limit() or MEMORY)  # a process may not raise a lower limit
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def require_room() -> None:
    """Raise MachineError if the engine's folder has no room for its files.

    gnubg reports no disk errors.
    """
    probe = Path("room")
    try:
        probe.write_bytes(bytes(ROOM))
    except OSError as problem:
        raise no_room(problem) from problem
    finally:
        probe.unlink(missing_ok=True)


def no_room(problem: OSError) -> MachineError:
    return MachineError(
        f"{Path.cwd().parent} has no room for the engine's files ({problem.strerror or 'no room'})"
    )


def streams() -> tuple[IO[bytes], IO[bytes]]:
    """Return standard input and output.

    From now on the engine reads nothing and prints to standard error.
    """
    requests = os.dup(0)
    answers = os.dup(1)
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    return os.fdopen(requests, "rb"), os.fdopen(answers, "wb")


def captured(command: str) -> str:
    """Return the text that gnubg prints for a command, on standard output and standard error."""
    _LIBRARY.fflush(None)
    copies = [os.dup(stream) for stream in (1, 2)]
    with tempfile.TemporaryFile() as text:
        try:
            os.dup2(text.fileno(), 1)
            os.dup2(text.fileno(), 2)
            gnubg.command(command)
            _LIBRARY.fflush(None)
        finally:
            for stream, copy in zip((1, 2), copies, strict=True):
                os.dup2(copy, stream)
                os.close(copy)
        text.seek(0)
        return text.read().decode("utf-8", "replace")


def saved(command: str, file: Path) -> str:
    """Return the text of the file that a command of gnubg writes.

    On a full disk it has no end, or does not exist.
    """
    gnubg.command(f'{command} "{file}"')
    text = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
    file.unlink(missing_ok=True)
    return text


def run(commands: Iterable[str]) -> None:
    for command in commands:
        gnubg.command(command)


def data_folder(engine_text: str) -> Path:
    """Return the folder of weights, databases and match-equity tables.

    It is in the last line of `show engine`.
    """
    return Path(engine_text.strip().splitlines()[-1].strip(" -"))


def match_equity_table(engine_text: str, name: str) -> Path:
    """Return the file of a match-equity table.

    Raises UnknownTableError: gnubg would silently use another.
    """
    table = data_folder(engine_text) / "met" / f"{name}.xml"
    if not table.is_file():
        there = ", ".join(
            sorted(path.stem for path in table.parent.glob("*.xml") if path.stem != "catalog")
        )
        raise UnknownTableError(f"this engine has no match-equity table {name}; it has {there}")
    return table


def checksums(engine_text: str) -> dict[str, str]:
    sums: dict[str, str] = {}
    for folder in (data_folder(engine_text), *DATA_FOLDERS_BESIDE):
        for name in DATA_FILES:
            if name not in sums and (folder / name).is_file():
                sums[name] = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    return sums


def identity() -> Json:
    """Return the engine's `version`, its description (`engine`) and `checksums`."""
    version = captured("show version").split("\n", 1)[0].strip()
    engine = captured("show engine")
    return {"version": version, "engine": engine, "checksums": checksums(engine)}


def set_up(job: Json, engine_text: str) -> dict[str, str]:
    """Set a job's match-equity table, run its `commands`, and return what its `show` prints."""
    table = match_equity_table(engine_text, job["match_equity_table"])
    run((f'set met "{table}"', *job["commands"]))
    return {command: captured(command) for command in job["show"]}


def opening_evaluation() -> list[float]:
    """Return the neural net's five chances in the opening position.

    They are in gnubg's order: a win, a gammon, a backgammon, a lost gammon, a lost backgammon.
    Their last digits show how the processor divides.
    """
    money_cube = gnubg.cubeinfo(1, -1, 0, 0, (0, 0), 0, 0)
    plain = {"cubeful": 0, "plies": 0, "deterministic": 0, "noise": 0.0}
    return list(gnubg.evaluate(gnubg.positionfromid(OPENING), money_cube, plain)[:5])
