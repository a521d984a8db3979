"""Write and check the provenance beside every table: how it was made, and its checksum.

Tables of a rule may share one file.
"""

import hashlib
import json
import secrets
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any

from bgmatch.records import Json, Record
from bgrating import BgratingError, __version__
from bgrating.places import CHECKOUT

END = ".provenance.json"
_TOGETHER: ContextVar[dict[Path, Json] | None] = ContextVar("together", default=None)
"""Facts by table while tables share a provenance; None while each table has its own."""
_UNKNOWN = "not a git checkout"
_REMEDY = "restore both from the repository, or delete both and run again"


class ProvenanceError(BgratingError):
    """A table differs from its provenance."""


def provenance_path(table: Path) -> Path:
    return table.with_name(table.name + END)


@contextmanager
def one_provenance(path: Path) -> Iterator[None]:
    """Write one provenance, `<rule>.provenance.json`, for all tables that are written in this
    context.

    It has common metadata once, under `written` the rest of each table's, and a sha256 of its own
    content.
    """
    tables: dict[Path, Json] = {}
    before = _TOGETHER.set(tables)
    try:
        yield
        common = _common(list(tables.values()))
        common["written"] = {
            table.relative_to(path.parent.absolute()).as_posix(): _without(metadata, common)
            for table, metadata in tables.items()
        }
        write_atomic(path, text_of({**common, "sha256": digest_of(common)}))
        for table in tables:  # `read_provenance` would prefer a table's own old provenance
            provenance_path(table).unlink(missing_ok=True)
    finally:
        _TOGETHER.reset(before)


def _common(tables: Sequence[Json]) -> Json:
    """Return the metadata that all tables share."""
    common = {key: value for key, value in tables[0].items() if key not in {"rows", "sha256"}}
    for table in tables:
        common = {key: value for key, value in common.items() if table.get(key) == value}
    return common


def _without(metadata: Json, common: Json) -> Json:
    return {key: value for key, value in metadata.items() if key not in common}


def digest(value: object) -> str:
    """Return the SHA-256 of a value as JSON."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def digest_of(metadata: Record) -> str:
    return hashlib.sha256(text_of(metadata).encode()).hexdigest()


def text_of(metadata: Record) -> str:
    return json.dumps(metadata, indent=1, sort_keys=True) + "\n"


def write_provenance(table: Path, **metadata: Any) -> None:
    """Write a table's provenance, its own or a shared one: `metadata` and the table's sha256."""
    metadata = {**metadata, "sha256": sha256(table)}
    together = _TOGETHER.get()
    if together is None:
        write_atomic(provenance_path(table), text_of(metadata))
    else:
        together[table.absolute()] = metadata


def read_provenance(table: Path) -> Json:
    """Return a table's provenance.

    Raises FileNotFoundError if it has none, ProvenanceError if it is damaged.
    """
    together = _TOGETHER.get() or {}
    if table.absolute() in together:
        return together[table.absolute()]
    path = provenance_path(table)
    for shared in [] if path.is_file() else sorted(table.parent.glob(f"*{END}")):
        metadata = _object(shared, table)
        tables = metadata.pop("written", {})
        if not isinstance(tables, dict) or not isinstance(tables.get(table.name, {}), dict):
            raise _damaged(table, shared)
        if table.name in tables:
            return {**metadata, **tables[table.name]}
    return _object(path, table)


def _object(path: Path, table: Path) -> Json:
    try:
        metadata = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as problem:
        raise _damaged(table, path) from problem
    if not isinstance(metadata, dict):
        raise _damaged(table, path)
    return metadata


def _damaged(table: Path, path: Path) -> ProvenanceError:
    return ProvenanceError(f"{table}: the provenance beside it, {path.name}, is damaged; {_REMEDY}")


def has_provenance(table: Path) -> bool:
    try:
        read_provenance(table)
    except FileNotFoundError:
        return False
    return True


def checked_provenance(table: Path) -> Json:
    """Return the provenance of a table. Raises ProvenanceError if it is absent or damaged."""
    try:
        metadata = read_provenance(table)
    except FileNotFoundError as missing:
        raise ProvenanceError(
            f"{table} has no provenance beside it ({missing.filename})"
        ) from missing
    if not isinstance(metadata.get("sha256"), str):
        raise ProvenanceError(f"the provenance of {table} names no checksum; {_REMEDY}")
    return metadata


def verified(table: Path) -> Json:
    """Return the provenance of a table.

    Raises ProvenanceError if it is absent or damaged, or the checksum differs.
    """
    metadata = checked_provenance(table)
    if metadata["sha256"] != sha256(table):
        raise ProvenanceError(f"{table}: its checksum is not the one in its provenance; {_REMEDY}")
    return metadata


def engine_metadata(report: Record) -> Json:
    """Return `engine_identity`, and the version of our code."""
    return {**engine_identity(report), "code_version": code_version()}


def engine_identity(report: Record) -> Json:
    """Return the identity of an engine: version, package build, checksums of weights and databases.

    `report` is the engine's own report (Session). The evaluation of the opening position is a
    separate fact. It depends on the build's floating-point division, and matches that differ in it
    are pooled.
    """
    return {
        "engine": {name: report[name] for name in ("version", "package", "checksums")},
        "opening_evaluation": report["opening_evaluation"],
    }


def sha256(path: Path) -> str:
    with path.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """Yield a temporary path; rename its file to `path` at the end, or delete it after an error."""
    temporary = path.with_name(f".{secrets.token_hex(8)}.part")
    try:
        yield temporary
        temporary.replace(path)
    except OSError as problem:
        # The error of a full disk has no file name.
        problem.filename = problem.filename or str(path)
        raise
    finally:
        temporary.unlink(missing_ok=True)


def write_atomic(path: Path, content: str | bytes) -> None:
    with atomic_path(path) as temporary:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)


@cache
def code_version(project: Path | None = CHECKOUT) -> str:
    """Return the version of the code: its commit, or the version of an installed package.

    The commit gets `-dirty` if files differ from it. Results do not count, since they change during
    a run.
    """
    if project is None:
        return f"bgrating {__version__}"
    git = "git", "--no-optional-locks", "-C", project  # the user may commit at this moment
    commit = output(*git, "describe", "--always", "--abbrev=12")
    if not commit:
        return _UNKNOWN
    of_code = "--", ".", ":!results"
    changed = output(*git, "status", "--porcelain", "--untracked-files=no", *of_code)
    return f"{commit}-dirty" if changed else commit


def is_of_a_commit() -> bool:
    """Return whether `code_version` identifies the code completely."""
    return not code_version().endswith(("-dirty", _UNKNOWN))


def output(*command: str | Path) -> str:
    """Return what a command prints; empty if it fails or does not exist."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (FileNotFoundError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()
