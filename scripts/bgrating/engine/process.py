"""A supervised process.

Its time, output and log are bounded, and `close` ends every process that it started.

Output beyond a pipe's size waits for its reader and takes no memory here. The pipes do not block: a
process that neither reads nor answers cannot stop this one. Standard library only.
"""

import os
import select
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NoReturn

LONGEST_LINE = 65_536
MOST_BYTES = 16 * 2**20
"""Bytes that a process may print before its answer ends, counted from the last question."""
LOG_BYTES = 4 * 2**20
"""Bytes of a log; further output is read and dropped."""
MOST_UNSENT = 2**20
"""Bytes of questions that may wait for a process to read them."""
QUIT_SECONDS = 2.0
SHARED_MEMORY = Path("/dev/shm")
"""Folder of Linux's shared memory, where faketime has files."""
_CHUNK = 65_536
_PATIENCE = 100  # seconds of waiting that a second of CPU time excuses (docs/develop/engine.md)
_LOOK = 0.5  # seconds between two looks at the clock
_FULL = b"\n(more is not kept)\n"

# The signals of a crash; another signal was sent by someone.
CRASHES = {
    signal.SIGSEGV,
    signal.SIGBUS,
    signal.SIGFPE,
    signal.SIGILL,
    signal.SIGABRT,
    signal.SIGTRAP,
    signal.SIGSYS,
}

_RUNNING: set["Process"] = set()


class LateError(Exception):
    """The time is over, or the process does not read its input."""


class FloodError(Exception):
    """The process printed more than it may; the message says what."""


class EndedError(Exception):
    """The process has closed its output.

    `code` is its exit code (None if it still runs), `rest` an unfinished line.
    """

    def __init__(self, code: int | None, rest: str) -> None:
        super().__init__(f"exit code {code}")
        self.code = code
        self.rest = rest


class SignalExit(SystemExit):
    """A signal ends this process (`ended_by_signals`)."""


def isolated(folder: Path, variables: Mapping[str, str]) -> dict[str, str]:
    """Return an engine's environment: its own HOME, UTC, no locale, and its `variables`."""
    system = {name: os.environ[name] for name in ("TMPDIR", "TEMP", "TMP") if name in os.environ}
    engine = {
        "HOME": str(folder),
        "PATH": os.environ.get("PATH", os.defpath),
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
    }
    return {**system, **engine, **variables}


def signal_name(number: int) -> str:
    """Return the name of a signal, such as SIGKILL; real-time signals have only numbers."""
    return next((sent.name for sent in signal.Signals if sent == number), f"signal {number}")


def end_all() -> None:
    """End all processes, for threads that wait for them.

    An exception in another thread does not reach those.
    """
    for process in list(_RUNNING):
        process.kill()


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Turn SIGTERM and SIGHUP into SignalExit, so that a run that ends leaves no engine.

    A signal that `nohup` ignores stays ignored. Only the main thread may set handlers; a program
    with other threads calls `end_all`.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, _frame: object) -> None:
        raise SignalExit(128 + number)

    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class Process:
    """A program in its own session; `close` ends it with all its descendants.

    `hear` returns a line that it prints, `tell` sends it a line. Its standard error goes to `log`,
    or nowhere. A `limit` counts wall time. With `by_cpu` it counts CPU time: a process that waits
    for a core is not late. One that idles for the whole limit is late, so no answer takes more than
    _PATIENCE limits of wall time. Raises OSError if the program cannot be started.
    """

    def __init__(
        self,
        command: Sequence[str | Path],
        log: Path | None = None,
        *,
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
        by_cpu: bool = False,
        longest: int = LONGEST_LINE,
    ) -> None:
        # Its descendants inherit this variable, also those that leave its group and its session.
        self._mark = f"BGRATING_{uuid.uuid4().hex}"
        self._process = subprocess.Popen(
            command,
            env={**(os.environ if environment is None else environment), self._mark: "1"},
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if log else subprocess.DEVNULL,
            bufsize=0,
            start_new_session=True,
        )
        self.pid = self._process.pid
        assert self._process.stdin
        assert self._process.stdout
        self._in = self._process.stdin
        self._out = self._process.stdout
        os.set_blocking(self._in.fileno(), False)
        self._pipes = select.poll()
        self._pipes.register(self._out, select.POLLIN)
        self._unsent = bytearray()
        self._is_finished = False
        self._lines: deque[bytes] = deque()
        self._rest = bytearray()
        self._by_cpu = by_cpu
        self._longest = longest
        self.limit(0.0)  # until the caller sets one
        self._log: threading.Thread | None = None
        if log:
            self._log = threading.Thread(
                target=_keep, args=(self._process.stderr, log), daemon=True
            )
            self._log.start()
        _RUNNING.add(self)

    def limit(self, seconds: float) -> None:
        self.seconds = self._remaining = seconds
        self._looked = time.monotonic()
        self._heard = 0
        self._idle = 0.0
        self._slice = min(_LOOK, seconds / 4)
        if self._by_cpu:
            self._used = _cpu_seconds(self.pid)

    def _is_late(self) -> bool:
        """Return whether the time is over; looks at the clock only once a slice of time."""
        now = time.monotonic()
        if now - self._looked < self._slice:
            return False
        # While this process is stopped (Ctrl-Z), at most two slices are counted.
        passed = min(now - self._looked, 2 * self._slice)
        self._looked = now
        if self._by_cpu:
            before = self._used
            self._used = _cpu_seconds(self.pid)
            used = self._used - before
            self._idle = max(0.0, self._idle + passed - _PATIENCE * used)
            passed = used
        self._remaining -= passed
        return self._remaining <= 0 or self._idle >= self.seconds

    def tell(self, line: bytes) -> None:
        """Send a line.

        Raises LateError if the process does not read. If it has ended, the next `hear` raises.
        """
        self._heard = 0
        if len(self._unsent) > MOST_UNSENT:
            raise LateError
        self._unsent += line + b"\n"
        self._send()

    def finish(self) -> None:
        """Close its standard input when it has read all questions."""
        self._is_finished = True
        self._send()

    def _send(self) -> None:
        try:
            while self._unsent:
                del self._unsent[: os.write(self._in.fileno(), self._unsent)]
        except BlockingIOError:
            self._pipes.register(self._in, select.POLLOUT)
            return
        except OSError:  # it has ended: the next `hear` raises
            self._unsent.clear()
        with suppress(KeyError):
            self._pipes.unregister(self._in)
        if self._is_finished:
            self._in.close()

    def hear(self) -> bytes:
        """Return its next line without the newline. Raises LateError, FloodError, EndedError."""
        while True:
            if len(self._lines[0] if self._lines else self._rest) > self._longest:
                raise FloodError(f"it printed {self._longest} bytes without a line's end")
            if self._lines:
                return self._lines.popleft()
            if self._heard > MOST_BYTES:
                raise FloodError(f"it printed {MOST_BYTES:,} bytes without an answer")
            if self._is_late():
                raise LateError
            self._wait()

    def _wait(self) -> None:
        """Wait for output, or for room in its input, until the next look at the clock."""
        ready = self._pipes.poll(1000 * self._slice)
        if not ready and self._process.poll() is not None and not self._pipes.poll(0):
            self._end()  # a descendant keeps its output open
        for pipe, _ in ready:
            if pipe == self._out.fileno():
                self._take(os.read(pipe, _CHUNK))
            else:
                self._send()

    def _take(self, chunk: bytes) -> None:
        if not chunk:
            self._end()
        self._heard += len(chunk)
        self._rest += chunk
        if b"\n" in chunk:
            *lines, rest = bytes(self._rest).split(b"\n")
            self._lines.extend(lines)
            self._rest = bytearray(rest)

    def _end(self) -> NoReturn:
        code = None
        with suppress(subprocess.TimeoutExpired):
            code = self._process.wait(1.0)
        raise EndedError(code, self._rest.decode("utf-8", "replace"))

    def kill(self) -> None:
        """Kill the process, its group, and descendants that have left the group."""
        if self._process.poll() is None or sys.platform != "linux":
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
        for _ in range(100):  # a descendant may start another one before it dies
            # One that dies during a look may have started another: two looks in succession must
            # find nothing.
            if not (remaining := _marked(self._mark) or _marked(self._mark)):
                return
            for descendant in remaining:
                with suppress(ProcessLookupError):
                    os.kill(descendant, signal.SIGKILL)
            time.sleep(0.01)

    def close(self, farewell: bytes = b"") -> None:
        """End the process and its descendants.

        After a `farewell` it has QUIT_SECONDS to end by itself.
        """
        if farewell and self._process.poll() is None:
            with suppress(LateError, subprocess.TimeoutExpired):
                self.tell(farewell)
                self.finish()
                self._process.wait(QUIT_SECONDS)
        self.kill()
        self._process.wait()
        if self._log and self._process.stderr:
            unread = select.poll()
            unread.register(self._process.stderr, select.POLLIN)
            while self._log.is_alive() and unread.poll(0):
                self._log.join(0.1)
            self._log.join(1.0)  # one that `kill` did not find may keep the pipe open
            self._log = None
        for stream in (self._in, self._out, self._process.stderr):
            if stream:
                with suppress(OSError):
                    stream.close()
        for name in (f"faketime_shm_{self.pid}", f"sem.faketime_sem_{self.pid}"):
            (SHARED_MEMORY / name).unlink(missing_ok=True)  # a killed process leaves them behind
        _RUNNING.discard(self)


def _cpu_seconds(process: int) -> float:
    """Return the CPU time of a process; 0 on a system without /proc."""
    try:
        fields = (
            Path(f"/proc/{process}/stat")
            .read_text(encoding="utf-8", errors="replace")
            .rpartition(")")[2]
            .split()
        )
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, AttributeError, IndexError):
        return 0.0


def _chunk(stream: IO[bytes]) -> bytes:
    try:
        return os.read(stream.fileno(), _CHUNK)
    except (OSError, ValueError):  # closed
        return b""


def _keep(stream: IO[bytes], log: Path) -> None:
    """Read a stream to its end; append it to a log up to LOG_BYTES and while there is room."""
    with log.open("ab", buffering=0) as log_file:
        room = LOG_BYTES - log_file.tell()
        while chunk := _chunk(stream):
            if room > 0:
                text = chunk[:room] + (_FULL if len(chunk) > room else b"")
                try:
                    room = room - len(chunk) if log_file.write(text) == len(text) else 0
                except OSError:
                    room = 0


def _marked(mark: str) -> list[int]:
    """Return the processes with a variable in their environment; on Linux only."""
    if sys.platform != "linux":
        return []
    processes = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError):  # another user's, or gone
                if mark.encode() in (folder / "environ").read_bytes():
                    processes.append(int(folder.name))
    return processes
