"""Whether a folder has room for the engine's files: gnubg reports no error of the disk. Standard library only."""

from pathlib import Path

# Bytes that the engine needs for its files: its description, a short match.
ROOM = 100_000


def room_problem(folder: Path) -> str:
    """Return why a folder that belongs to one engine process has no room for a match; empty where it has."""
    probe = folder / "room"
    try:
        probe.write_bytes(bytes(ROOM))
    except OSError as problem:
        return f"{folder.parent} has no room for the engine's files ({problem.strerror})"
    finally:
        probe.unlink(missing_ok=True)
    return ""
