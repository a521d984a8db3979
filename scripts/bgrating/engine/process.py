"""A supervised process: its time, its output and its log are bounded, and nothing that it started outlives it.

Whatever it prints, it waits for its reader after `QUEUED` chunks, so it fills no memory here. Threads read and write
its pipes: a process that neither reads nor answers blocks nobody. Standard library only.
"""

import os
import queue
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

LONGEST_LINE = 65_536
MOST_BYTES = 16 * 2**20
"""Bytes of an answer with all lines before it."""
LOG_BYTES = 4 * 2**20
"""Bytes of a log; what a process prints beyond is read and dropped."""
QUEUED = 8
QUIT_SECONDS = 2.0
SHARED_MEMORY = Path("/dev/shm")
"""Where Linux keeps the shared memory through which faketime talks to itself."""
_CHUNK = 65_536
_LOOK = 0.5  # seconds between two looks at the clock
_PROC = Path("/proc")
_FULL = b"\n(more is not kept)\n"

_RUNNING: set["Process"] = set()


class LateError(Exception):
    """The time is over, or the process does not read what it is asked."""


class FloodError(Exception):
    """The process printed more than a bound; the message is a sentence about it."""


class EndedError(Exception):
    """The process has closed its output. `code` is its exit code (None while it runs on), `rest` an unfinished line."""

    def __init__(self, code: int | None, rest: str) -> None:
        super().__init__(f"exit code {code}")
        self.code, self.rest = code, rest


def isolated(inside: Path, folder: Path, variables: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of an engine that runs the file `inside`: a HOME of its own, UTC, no words of a locale."""
    system = {name: os.environ[name] for name in ("SYSTEMROOT", "TMPDIR", "TEMP", "TMP") if name in os.environ}
    own = {"HOME": str(folder), "PATH": os.environ.get("PATH", os.defpath), "TZ": "UTC", "LC_ALL": "C.UTF-8"}
    return {**system, **own, "BGRATING_INSIDE": str(inside), **variables}


def end_all() -> None:
    """End the processes that threads of this process wait for: an exception in another thread does not reach them."""
    for process in list(_RUNNING):
        process.kill()


class Process:
    """A program in a session of its own, which `close` ends with all that it started.

    It prints to `log`, or without a `log` nowhere; with `speaks` its standard output is what `hear` returns, and
    `tell` writes to its standard input, else it has none. A `limit` is one of wall time, or with `by_cpu` of CPU time:
    a process that only waits for a core is not late, one that does nothing for so long is. Raises OSError if it cannot
    be started.
    """

    def __init__(
        self, command: Sequence[str | Path], log: Path | None = None, *, speaks: bool = True,
        environment: Mapping[str, str] | None = None, folder: Path | None = None, by_cpu: bool = False,
        longest: int = LONGEST_LINE,
    ) -> None:  # fmt: skip
        # Its descendants inherit this variable, also those that leave its group and its session.
        self._mark = f"BGRATING_{uuid.uuid4().hex}"
        logged = subprocess.PIPE if log else subprocess.DEVNULL
        self._process = subprocess.Popen(
            command, env={**(os.environ if environment is None else environment), self._mark: "1"}, cwd=folder,
            stdin=subprocess.PIPE if speaks else subprocess.DEVNULL, stdout=subprocess.PIPE if speaks else logged,
            stderr=logged if speaks else subprocess.STDOUT, bufsize=0, start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )  # fmt: skip
        self.pid = self._process.pid
        self._lines: deque[bytes] = deque()
        self._rest, self._heard = b"", 0
        self._left, self._looked, self._slice = 0.0, 0.0, _LOOK
        self._by_cpu, self._longest = by_cpu, longest
        self._most_idle = self._idle = self._used = 0.0
        self._answers: queue.Queue[bytes] = queue.Queue(QUEUED)
        self._questions: queue.Queue[bytes | None] = queue.Queue(64)
        self._closing = False
        work: list[tuple[Any, ...]] = []
        if speaks:
            work += [(self._read, self._process.stdout), (self._write, self._process.stdin)]
        if log:
            work.append((_keep, self._process.stderr if speaks else self._process.stdout, log))
        self._threads = [threading.Thread(target=what, args=arguments, daemon=True) for what, *arguments in work]
        for thread in self._threads:
            thread.start()
        _RUNNING.add(self)

    def limit(self, seconds: float) -> None:
        self._left, self._looked, self._heard = seconds, time.monotonic(), 0
        self._slice = min(_LOOK, seconds / 4)
        self._most_idle, self._idle, self._used = seconds, 0.0, _cpu_seconds(self.pid)

    def _is_late(self) -> bool:
        # While this process is stopped (Ctrl-Z), no more than two looks' time of the answer's passes.
        now = time.monotonic()
        passed, self._looked = min(now - self._looked, 2 * self._slice), now
        if self._by_cpu:
            before, self._used = self._used, _cpu_seconds(self.pid)
            self._idle = 0.0 if self._used > before else self._idle + passed
            passed = self._used - before
        self._left -= passed
        return self._left <= 0 or self._idle >= self._most_idle

    def tell(self, line: bytes) -> None:
        """Send a line. Raises LateError if the process does not read. One that has ended shows at the next `hear`."""
        try:
            self._questions.put_nowait(line + b"\n")
        except queue.Full:
            raise LateError from None

    def finish(self) -> None:
        with suppress(queue.Full):
            self._questions.put_nowait(None)

    def hear(self) -> bytes:
        """Return its next line without the line's end. Raises LateError, FloodError, EndedError."""
        while True:
            if self._is_late():
                raise LateError
            if len(self._lines[0] if self._lines else self._rest) > self._longest:
                raise FloodError(f"it printed {self._longest} bytes without a line's end")
            if self._lines:
                return self._lines.popleft()
            if self._heard > MOST_BYTES:
                raise FloodError(f"it printed {MOST_BYTES:,} bytes without an answer")
            with suppress(queue.Empty):
                self._take(self._answers.get(timeout=min(self._slice, self._left)))

    def _take(self, part: bytes) -> None:
        if not part:
            self._answers.put(part)  # for the next call
            raise EndedError(self._exit_code(), self._rest.decode("utf-8", "replace"))
        *lines, self._rest = (self._rest + part).split(b"\n")
        self._lines.extend(lines)
        self._heard += len(part)

    def wait(self, seconds: float) -> int:
        """Return the exit code, negative for the signal that ended it. Raises subprocess.TimeoutExpired."""
        return self._process.wait(seconds)

    def kill(self) -> None:
        """End the process, its group, and what has left the group."""
        if self._process.poll() is None or sys.platform != "linux":
            if hasattr(os, "killpg"):
                with suppress(ProcessLookupError):
                    os.killpg(self.pid, signal.SIGKILL)
            else:
                self._process.kill()
        for _ in range(100):  # a process that is being ended may start another one
            if not (left := _marked(self._mark)):
                return
            for process in left:
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            time.sleep(0.01)

    def close(self, farewell: bytes = b"") -> None:
        """End the process and its descendants. With a farewell it may end by itself within QUIT_SECONDS."""
        if farewell and self._process.poll() is None:
            with suppress(LateError, subprocess.TimeoutExpired):
                self.tell(farewell)
                self.finish()
                self._process.wait(QUIT_SECONDS)
        self._closing = True
        self.kill()
        self._process.wait()
        self.finish()
        for thread in self._threads:
            thread.join(1.0)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream:
                with suppress(OSError):
                    stream.close()
        for name in (f"faketime_shm_{self.pid}", f"sem.faketime_sem_{self.pid}"):
            (SHARED_MEMORY / name).unlink(missing_ok=True)  # left behind by a process that was killed
        _RUNNING.discard(self)

    def _exit_code(self) -> int | None:
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(1.0)
        return None

    def _read(self, stream: IO[bytes]) -> None:
        part = b"?"
        while part and not self._closing:
            part = _part(stream)
            while not self._closing:
                with suppress(queue.Full):
                    self._answers.put(part, timeout=_LOOK)
                    break

    def _write(self, stream: IO[bytes]) -> None:
        with suppress(OSError), stream:
            while (line := self._questions.get()) is not None:
                while line:
                    line = line[stream.write(line) :]


def _cpu_seconds(process: int) -> float:
    """Return the CPU time that a process has taken; 0 where the system does not tell."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, AttributeError, IndexError):
        return 0.0


def _part(stream: IO[bytes]) -> bytes:
    try:
        return os.read(stream.fileno(), _CHUNK)
    except (OSError, ValueError):  # closed
        return b""


def _keep(stream: IO[bytes], log: Path) -> None:
    """Read a stream to its end; write to a log what it brings, up to a size and while its disk has room."""
    with log.open("ab", buffering=0) as kept:
        room = LOG_BYTES - kept.tell()
        while part := _part(stream):
            if room > 0:
                text = part[:room] + (_FULL if len(part) > room else b"")
                try:
                    room = room - len(part) if kept.write(text) == len(text) else 0
                except OSError:
                    room = 0


def _marked(mark: str) -> list[int]:
    """Return the processes that have a variable in their environment; none where the system does not tell."""
    if sys.platform != "linux":
        return []
    found = []
    for folder in _PROC.iterdir():
        if folder.name.isdigit():
            with suppress(OSError):  # another user's, or gone
                if mark.encode() in (folder / "environ").read_bytes():
                    found.append(int(folder.name))
    return found
