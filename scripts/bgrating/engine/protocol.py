"""Limits and marks that both ends of an engine process share (inside/main.py, session.py).

The module needs the standard library only.
"""

import resource

MARK = b"\x1ebgrating "
"""First bytes of an answer: a gnubg program prints other lines before its output is captured."""
MEMORY = 4 * 2**30
"""Bytes of address space that an engine process may take. It needs 150 MB."""


def memory_limit() -> int | None:
    """Return the limit of this process's address space in bytes (`ulimit -v`)."""
    limits = [
        limit for limit in resource.getrlimit(resource.RLIMIT_AS) if limit != resource.RLIM_INFINITY
    ]
    return min(limits, default=None)


def memory_sentence() -> str:
    """Return a sentence on this process's memory limit; empty without a limit below MEMORY."""
    limit = memory_limit()
    if limit is None or limit >= MEMORY:
        return ""
    return f"memory is limited to {limit / 10**6:,.0f} MB here (ulimit -v)"
