"""What a provenance says of an engine, for tables that a test makes up."""

from typing import Any

from bgrating.gnubg.known import known_engines


def engine_facts(nets: str = "1.07.001") -> dict[str, Any]:
    """Return the facts of a known engine with these nets."""
    known = next(engine for engine in known_engines() if engine.nets == nets)
    return {"version": known.version, "package": known.package, "checksums": dict(known.checksums)}
