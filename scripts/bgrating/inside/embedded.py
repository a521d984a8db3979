"""Run main.py with the engine of the Python package `gnubg` on a stopped clock, with short sleeps.

Standard library only, in its own process: `python -I -S embedded.py`. BGRATING_EMBEDDED holds JSON.
`module` is the package's extension module; `slots` are the offsets of its pointers to `time` and
`g_usleep`. `second` is the time of its clock and the seed of its noise. `sleep_divisor` shortens
its sleeps.

The engine seeds its noise with `time(NULL)` when it is imported. A thread that waits for a decision
sleeps 10 ms or more at a time. docs/develop/engine.md describes both. Both calls go through lazily
bound pointers that the loader leaves writable.
"""

import ctypes
import json
import os
import runpy
import sys
import time
from pathlib import Path

PR_SET_TIMERSLACK = 29
settings = json.loads(os.environ["BGRATING_EMBEDDED"])
module = settings["module"]
second = settings["second"]
divisor = settings["sleep_divisor"]


def standing_clock(address_of_result: int | None) -> int:
    if address_of_result:
        ctypes.c_long.from_address(address_of_result).value = second
    return int(second)


def short_sleep(microseconds: int) -> None:
    time.sleep(1e-6 * microseconds / divisor)


def base_address() -> int:
    lines = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    loaded = os.path.realpath(module)  # Linux resolves links to the file and its folders
    return min(int(line.split("-")[0], 16) for line in lines if line.endswith(loaded))


# Otherwise Linux adds 50 microseconds to every sleep, the time of a decision.
ctypes.CDLL(None).prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0)
ctypes.PyDLL(module, mode=os.RTLD_LAZY)  # before the import, which seeds the noise
base = base_address()
calls = {
    "time": ctypes.CFUNCTYPE(ctypes.c_long, ctypes.c_void_p)(standing_clock),
    "g_usleep": ctypes.CFUNCTYPE(None, ctypes.c_ulong)(short_sleep),
}
for name, call in calls.items():
    address = ctypes.cast(call, ctypes.c_void_p).value or 0
    ctypes.c_uint64.from_address(base + settings["slots"][name]).value = address
sys.path.append(os.environ["BGRATING_PACKAGES"])
runpy.run_path(os.environ["BGRATING_INSIDE"], run_name="__main__")
