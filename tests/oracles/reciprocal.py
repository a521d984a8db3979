"""Give the nets of a gnubg program the same reciprocals on every x86-64 processor.

Debian's builds divide in the sigmoid of the nets by the instruction `rcpps`. It promises twelve
bits, and the last of them are the processor maker's own (docs/gnubg.md). The frozen matches of
1.07.001 were played on AMD's processors. So a jump replaces the instruction, and code of ours
answers as AMD's processors do, whoever made the one here. A build that divides otherwise is left as
it is.

bgrating itself leaves the instruction alone: these tests alone must give the frozen figures on
another maker's processor. gnubg's own Python runs this file, so it uses the standard library only.
"""

import ctypes
import mmap
import platform
import re
import struct
import sys
from itertools import accumulate
from pathlib import Path

# AMD's reciprocals, measured over all fractions: the upper twelve bits decide. For each value of
# the upper eight, with four zeros behind it, _DISTANCES has one more than the distance from the
# rounded reciprocal of the interval's middle. From there the reciprocal falls by the steps of a row
# of _STEPS, which the upper four bits choose.
_DISTANCES = (
    "0000111111112221000101111111111200001011111111210101111011111111"
    "0011111111111111121112211212122211111121111112211111111111112121"
    "1100111121112111111111111111121111111112111111121111111111111211"
    "0110111100001111111111111111211100000011110110111111111111111111"
)
_STEPS = (
    "212222222122222",
    "122122122122122",
    "121121212121212",
    "112112112112112",
    "111121112111121",
    "112111111112111",
    "111111111111111",
    "111110111111111",
    "110111111011111",
    "101111011110111",
    "110110111011101",
    "101101101101101",
    "011010110110101",
    "011010110101101",
    "010101011010101",
    "010101101010101",
)

# rcpps %xmm0,%xmm0; subps %xmm0,%xmm2: once in the program
_REPLACED = bytes.fromhex("0f53c0 0f5cd0")
_TABLE = 512  # where the table is, in bytes from the first of the code below
_BEFORE = bytes.fromhex(
    "488da42400ffffff"  # lea -256(%rsp),%rsp: below what the function keeps there
    "4889442410 48894c2418 4889542420"  # mov %rax,16(%rsp); mov %rcx,24(%rsp); mov %rdx,32(%rsp)
    "0f11442430"  # movups %xmm0,48(%rsp)
    "9c"  # pushfq, so xmm0 is at 56(%rsp)
    "488d15dc010000"  # lea _TABLE(code),%rdx
)
_LANE = (
    "8b4424{0:02x} 89c1"  # mov {0}(%rsp),%eax; mov %eax,%ecx
    "c1e90b 81e1ff0f0000"  # shr $11,%ecx; and $0xfff,%ecx: the upper twelve bits of the fraction
    "0fb70c4a c1e10b"  # movzwl (%rdx,%rcx,2),%ecx; shl $11,%ecx: the fraction of the reciprocal
    "250000807f 29c1 81c10000807e"  # and $0x7f800000,%eax; sub %eax,%ecx; add $0x7e800000,%ecx: its exponent
    "894c24{0:02x}"  # mov %ecx,{0}(%rsp)
)
_AFTER = bytes.fromhex(
    "9d 0f10442430"  # popfq; movups 48(%rsp),%xmm0
    "488b442410 488b4c2418 488b542420"  # mov 16(%rsp),%rax; mov 24(%rsp),%rcx; mov 32(%rsp),%rdx
    "488da42400010000"  # lea 256(%rsp),%rsp
    "0f5cd0"  # subps %xmm0,%xmm2
)
_JUMP = b"\xe9"  # jmp, with the distance from its end in four bytes
_NO_OPERATION = b"\x90"

_PAGE = mmap.PAGESIZE
_ROOM = 16 * _PAGE  # what the code and its table get, right before the program
_READ, _WRITE, _EXECUTE = 1, 2, 4  # PROT_ of sys/mman.h
# MAP_PRIVATE, MAP_ANONYMOUS, MAP_FIXED_NOREPLACE of Linux
_PRIVATE_ANONYMOUS_THERE = 0x2 | 0x20 | 0x100000


def reciprocals() -> list[int]:
    """Return AMD's reciprocals of 1 + k / 4096, as the twelve bits after the leading one."""
    found: list[int] = []
    for upper, distance in enumerate(_DISTANCES):
        middle = 2 * 4096 + 32 * upper + 1  # in units of 1 / 8192
        rounded = (2**27 + middle) // (2 * middle) - 4096
        falling = accumulate(
            (-int(step) for step in _STEPS[upper // 16]), initial=rounded + int(distance) - 1
        )
        found.extend(falling)
    return found


def settle() -> None:
    """Replace the instruction in this process's program, if it is there once. Raises OSError."""
    if sys.platform != "linux" or platform.machine() != "x86_64" or (there := _find()) is None:
        return
    first, place = there
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    code = libc.mmap(first - _ROOM, _ROOM, _READ | _WRITE, _PRIVATE_ANONYMOUS_THERE, -1, 0)
    if code != first - _ROOM:
        raise OSError(
            ctypes.get_errno(), "no memory right before gnubg's program for its reciprocals"
        )

    def protect(address: int, size: int, how: int) -> None:
        if libc.mprotect(address, size, how):
            raise OSError(
                ctypes.get_errno(),
                "gnubg's program cannot be changed in memory to settle its reciprocals",
            )

    lanes = "".join(_LANE.format(lane) for lane in range(56, 72, 4))
    ours = _BEFORE + bytes.fromhex(lanes) + _AFTER
    ours += _jump(code + len(ours), place + len(_REPLACED))
    ctypes.memmove(
        code,
        ours.ljust(_TABLE, _NO_OPERATION) + struct.pack("<4096H", *reciprocals()),
        _TABLE + 8192,
    )
    protect(code, _ROOM, _READ | _EXECUTE)
    pages = place - place % _PAGE, place % _PAGE + len(_REPLACED)
    protect(*pages, _READ | _WRITE | _EXECUTE)
    ctypes.memmove(place, _jump(place, code).ljust(len(_REPLACED), _NO_OPERATION), len(_REPLACED))
    protect(*pages, _READ | _EXECUTE)


def _find() -> tuple[int, int] | None:
    """Return where the program is in memory, and the instructions in it; None if not there once."""
    program = str(Path("/proc/self/exe").readlink())
    lines = (
        Path("/proc/self/maps").read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    )
    parts = [fields for line in lines if (fields := line.split(maxsplit=5))[-1] == program]
    found = []
    for begin, end in (
        (int(address, 16) for address in part[0].split("-")) for part in parts if part[1][0] == "r"
    ):
        text = ctypes.string_at(begin, end - begin)
        found += [begin + match.start() for match in re.finditer(re.escape(_REPLACED), text)]
    return (int(parts[0][0].split("-")[0], 16), found[0]) if len(found) == 1 else None


def _jump(here: int, there: int) -> bytes:
    return _JUMP + struct.pack("<i", there - here - 5)
