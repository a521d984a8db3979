"""An engine behind a program of a test, which crashes, hangs or says something else."""

import stat
import sys
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path

from bgrating.engine.locate import INSIDE, Engine

_BETWEEN = """#!{python}
import json, os, subprocess, sys, time
engine = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE)
for line in sys.stdin.buffer:
    if {text!r} in line:
        {fault}
    engine.stdin.write(line)
    engine.stdin.flush()
engine.stdin.close()
engine.wait()
"""


@dataclass(frozen=True)
class WrappedEngine(Engine):
    """An engine whose command is given to a program as its arguments."""

    wrapper: str = ""

    def launch(
        self, clock: datetime | None = None, inside: Path = INSIDE
    ) -> tuple[list[str], dict[str, str]]:
        """Return the wrapper with the engine's own command behind it."""
        command, variables = super().launch(clock, inside)
        return [self.wrapper, *command], variables


def script(program: Path, text: str) -> Path:
    """Write a program that can be started."""
    program.write_text(text)
    program.chmod(stat.S_IRWXU)
    return program


def wrapped(engine: Engine, program: Path, text: str) -> WrappedEngine:
    """Write a program and return the engine behind it, whose command is `"$@"` in the text."""
    facts = {field.name: getattr(engine, field.name) for field in fields(Engine)}
    return WrappedEngine(**facts, wrapper=str(script(program, text)))


def interrupted(engine: Engine, program: Path, text: bytes, fault: str) -> WrappedEngine:
    """Return an engine behind Python that runs a `fault` before a request with a `text`."""
    return wrapped(engine, program, _BETWEEN.format(python=sys.executable, text=text, fault=fault))


def faulty(engine: Engine, program: Path, fault: str) -> None:
    """Write a program that runs a `fault`, lines of bash, and then becomes the engine, if the fault
    has not ended it.

    The fault knows the first request, which sets the engine up, as $setup.
    """
    becomes = f'exec {engine.program} "$@" < <(printf \'%s\\n\' "$setup"; exec cat)'
    script(program, "\n".join(["#!/bin/bash", "IFS= read -r setup", fault, becomes, ""]))
