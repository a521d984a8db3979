"""An engine behind a program of a test, which stands for one that crashes, hangs or says something else."""

import stat
from dataclasses import dataclass, fields
from pathlib import Path

from bgrating.engine.locate import Engine


@dataclass(frozen=True)
class WrappedEngine(Engine):
    """An engine whose command is given to a program as its arguments; empty: it is started as it is."""

    wrapper: str = ""

    def command(self, inside: Path) -> list[str]:
        """Return the wrapper with the engine's own command behind it."""
        return [self.wrapper, *super().command(inside)]

    def worker(self, file: Path) -> tuple[list[str], dict[str, str]]:
        """Return the same for the process of a pool; the engine of a package is started in another way there."""
        command, variables = super().worker(file)
        return command if command[0] == self.wrapper else [self.wrapper, *command], variables


def wrapped(engine: Engine, program: Path, text: str) -> WrappedEngine:
    """Write a program and return the engine behind it; in its text `"$@"` is the engine's command."""
    program.write_text(text)
    program.chmod(stat.S_IRWXU)
    facts = {field.name: getattr(engine, field.name) for field in fields(Engine)}
    return WrappedEngine(**facts, wrapper=str(program))
