"""A side's process: it reads lines and answers in one line within a time limit; every failure is one sentence."""

import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from bgrating import BgratingError
from bgrating.referee.match import CRASH, GARBAGE, LATE, Forfeit

LONGEST = 65_536
"""Bytes of a line before it counts as garbage."""
_RUNNING: set["Process"] = set()


def end_sides() -> None:
    for process in list(_RUNNING):
        process.kill()


class SideError(BgratingError):
    """A side cannot be started; the message names it and what went wrong."""


class EndedError(BgratingError):
    """A signal from outside ended a side's process; the side does not forfeit, and the next run repeats the match."""


_FROM_OUTSIDE = {signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP}
"""Signals from other processes; any other signal is a crash of the side."""


class Process:
    """A program that answers on standard output; its standard error goes to `log`.

    `heard` is the conversation since `heard.clear()`.
    """

    def __init__(
        self,
        command: Sequence[str],
        log: Path,
        *,
        environment: Mapping[str, str] | None = None,
        folder: str | None = None,
    ) -> None:
        self._log = log
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("ab") as errors:
            try:
                self._process = subprocess.Popen(
                    command, env=environment, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors,
                    bufsize=0, start_new_session=True,
                )  # fmt: skip
            except OSError as problem:
                raise SideError(f"{command[0]} cannot be started: {problem.strerror}") from problem
        assert self._process.stdin
        assert self._process.stdout
        self._input, self._output = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._input, False)
        _RUNNING.add(self)
        self._poll = select.poll()
        self._poll.register(self._output, select.POLLIN)
        self._rest = b""
        self.heard: list[str] = []

    def tell(self, line: str) -> None:
        """Send a line. Raises Forfeit if the process has ended or does not read, EndedError."""
        self.heard.append(f"> {line}")
        try:
            os.write(self._input, line.encode() + b"\n")
        except BlockingIOError:
            raise Forfeit(LATE, "it does not read what it is asked") from None
        except OSError:
            raise self._ended() from None

    def hear(self, until: float) -> str:
        """Return its next line before a time (time.monotonic). Raises Forfeit, EndedError."""
        while b"\n" not in self._rest:
            left = max(0.0, until - time.monotonic())
            if not self._poll.poll(1000 * left):  # an answer during a stop of this process (Ctrl-Z) is in time
                raise Forfeit(LATE, "it did not answer in time")
            part = os.read(self._output, LONGEST)
            if not part:
                raise self._ended()
            self._rest += part
            if len(self._rest) > LONGEST:
                raise Forfeit(GARBAGE, f"it printed {LONGEST} bytes without a line's end")
        line, self._rest = self._rest.split(b"\n", 1)
        text = line.decode("utf-8", "replace").strip()
        self.heard.append(f"< {text}")
        return text

    def _ended(self) -> Forfeit:
        try:
            code = self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            return Forfeit(CRASH, "it closed its output")
        if -code in _FROM_OUTSIDE:
            raise EndedError(
                f"a program was ended from outside ({signal.Signals(-code).name}) while it played: run the same "
                f"command again, which plays this match again; what it printed is in {self._log}"
            )
        how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
        return Forfeit(CRASH, f"its process {how}")

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> None:
        """End the process and its children, and close its pipes."""
        _RUNNING.discard(self)
        self.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream:
                stream.close()
