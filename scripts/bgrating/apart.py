"""Rate match files in a process of its own.

That process uses numpy with the settings of the command. The caller's numpy keeps its own.

Both processes exchange pickles. The caller sends its module path and the request. The other one
sends calls of the progress, then the result or an error. The end of its standard input ends it, so
that it does not outlive the caller.
"""

import os
import pickle
import signal
import subprocess
import sys
import threading
from typing import IO, TYPE_CHECKING, BinaryIO

from bgrating import BgratingError
from bgrating.collection.rate_request import Progress, RateRequest
from bgrating.collection.rating_run import rate
from bgrating.engine.process import ended_by_signals
from bgrating.processor import SETTINGS

if TYPE_CHECKING:
    from bgrating.collection.rated_results import RateResult

_PROGRAM = """\
import pickle, sys
sys.path[:] = pickle.load(sys.stdin.buffer)
from bgrating.apart import answer
answer()
"""
_RESULT = "result"
_ERROR = "error"


class EndedError(BgratingError):
    """The process that rates ended without a result."""


def rate_apart(request: RateRequest, progress: Progress) -> "RateResult":
    """Do the same as `rate`, in another process.

    Raises what `rate` raises there, and EndedError.
    """
    command = [sys.executable, "-c", _PROGRAM]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | SETTINGS,
        start_new_session=True,  # Ctrl-C is for the caller, who ends this process
    ) as process:
        assert process.stdin
        assert process.stdout
        try:
            pickle.dump(list(map(str, sys.path)), process.stdin)
            pickle.dump(request, process.stdin)
            process.stdin.flush()
            return _heard(process.stdout, progress)
        except (EOFError, BrokenPipeError, pickle.UnpicklingError) as problem:
            process.terminate()
            raise EndedError(
                f"the process that rates ended without a result ({process.wait()}): rate again"
            ) from problem
        finally:
            process.terminate()


def _heard(pipe: IO[bytes], progress: Progress) -> "RateResult":
    while True:
        kind, payload = pickle.load(pipe)
        if kind == _RESULT:
            result: RateResult = payload
            return result
        if kind == _ERROR:
            error, sentence = payload
            # Without its __init__, whose arguments were those of the other process.
            raise error.__new__(error, sentence)
        getattr(progress, kind)(*payload)


class _Sent(Progress):
    """Sends the progress to the caller."""

    def __init__(self, pipe: BinaryIO) -> None:
        self._pipe = pipe

    def send(self, kind: str, payload: object) -> None:
        self._pipe.write(pickle.dumps((kind, payload)))
        self._pipe.flush()

    def step(self, what: str, done: int, total: int, seconds_left: float | None = None) -> None:
        self.send("step", (what, done, total, seconds_left))

    def say(self, sentence: str) -> None:
        self.send("say", (sentence,))


def answer() -> None:
    """Rate the request on standard input; what is printed meanwhile goes to standard error."""
    request = pickle.load(sys.stdin.buffer)
    sent = _Sent(os.fdopen(os.dup(1), "wb"))
    os.dup2(2, 1)
    threading.Thread(target=_end_with_caller, daemon=True).start()
    with ended_by_signals():
        try:
            sent.send(_RESULT, rate(request, sent))
        except Exception as problem:
            sent.send(_ERROR, (type(problem), str(problem)))


def _end_with_caller() -> None:
    os.read(0, 1)
    os.kill(os.getpid(), signal.SIGTERM)
