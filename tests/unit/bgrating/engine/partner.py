"""A program that misbehaves as its first argument says; `ready` says that it has begun."""

import os
import signal
import sys
import time

FAULT, *words = sys.argv[1:]


def say(text: str) -> None:
    print(text, flush=True)


def leave_children() -> None:
    """Start a process in the group, one in a session of its own, and one whose parent has ended."""
    for kind in ("group", "session", "orphan"):
        if os.fork() == 0:
            if kind != "group":
                os.setsid()
            if kind == "orphan" and os.fork():
                os._exit(0)
            signal.pause()


if FAULT == "chatty":  # never an answer, and never silent
    while True:
        say("info x")
        time.sleep(0.01)
elif FAULT == "flooding":
    while True:
        os.write(1, b"info x\n" * 1000)
elif FAULT == "endless line":
    while True:
        os.write(1, b"x" * 10_000)
elif FAULT == "logging":
    for _ in range(1000):
        os.write(2, b"x" * 99_999 + b"\n")
    say("ready")
    signal.pause()
elif FAULT == "forking":
    leave_children()
    say("ready")
    signal.pause()
elif FAULT == "deaf":
    say("ready")
    signal.pause()
elif FAULT == "polite":
    for line in sys.stdin:
        if line == "quit\n":
            with open(words[0], "w") as noted:  # noqa: PTH123
                noted.write("saved")
            break
elif FAULT == "slow to end":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        time.sleep(60)
elif FAULT == "silent":
    signal.pause()
elif FAULT == "half a line":
    sys.stdout.write("GNU Backgammon")
elif FAULT == "no text":
    os.write(1, b"\xff\xfe\x80\n")
