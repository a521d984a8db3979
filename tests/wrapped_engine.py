"""An engine behind a program of a test, which stands for one that crashes, hangs or says something else."""

import stat
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path

from bgrating.engine.locate import INSIDE, Engine


@dataclass(frozen=True)
class WrappedEngine(Engine):
    """An engine whose command is given to a program as its arguments."""

    wrapper: str = ""

    def launch(self, clock: datetime | None = None, inside: Path = INSIDE) -> tuple[list[str], dict[str, str]]:
        """Return the wrapper with the engine's own command behind it."""
        command, variables = super().launch(clock, inside)
        return [self.wrapper, *command], variables


def wrapped(engine: Engine, program: Path, text: str) -> WrappedEngine:
    """Write a program and return the engine behind it; in its text `"$@"` is the engine's command."""
    program.write_text(text)
    program.chmod(stat.S_IRWXU)
    facts = {field.name: getattr(engine, field.name) for field in fields(Engine)}
    return WrappedEngine(**facts, wrapper=str(program))


def faulty(engine: Engine, program: Path, fault: str) -> None:
    """Write a program that runs a `fault`, lines of bash, and then becomes the engine, if the fault has not ended it.

    The fault knows the first request, which sets the engine up, as $setup.
    """
    becomes = f'exec {engine.program} "$@" < <(printf \'%s\\n\' "$setup"; exec cat)'
    program.write_text("\n".join(["#!/bin/bash", "IFS= read -r setup", fault, becomes, ""]))
    program.chmod(stat.S_IRWXU)
