"""The provenance beside every table; all tables that a rule writes into a folder have one file."""

import hashlib
import json
import re
import secrets
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any

from bgrating import BgratingError, __version__
from bgrating.places import CHECKOUT

END = ".provenance.json"
_OF_A_TABLE = ("rows", "sha256")
_TOGETHER: ContextVar[dict[Path, dict[str, Any]] | None] = ContextVar("together", default=None)
"""The facts of tables that share a provenance; None if each table has its own."""
_UNKNOWN = "not a git checkout"
_REMEDY = "restore both from the repository, or delete both and run again"


class ProvenanceError(BgratingError):
    """A table differs from its provenance."""


def provenance_path(table: Path) -> Path:
    return table.with_name(table.name + END)


@contextmanager
def one_provenance(path: Path) -> Iterator[None]:
    """Write one provenance, `<rule>.provenance.json`, for all tables that are written in this context.

    Common facts are written once; `written` has those of each table, with its rows and sha256. The whole has a sha256
    of its own.
    """
    tables: dict[Path, dict[str, Any]] = {}
    before = _TOGETHER.set(tables)
    try:
        yield
        first = next(iter(tables.values()), {})
        common = {
            key: value
            for key, value in first.items()
            if key not in _OF_A_TABLE and all(facts.get(key) == value for facts in tables.values())
        }
        content: dict[str, Any] = common | {
            "written": {
                table.relative_to(path.parent.absolute()).as_posix(): {key: facts[key] for key in facts.keys() - common}
                for table, facts in tables.items()
            }
        }
        write_atomic(path, text_of({**content, "sha256": digest_of(content)}))
        for table in tables:  # an old provenance of the table alone would be read first
            provenance_path(table).unlink(missing_ok=True)
    finally:
        _TOGETHER.reset(before)


def digest_of(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(text_of(content).encode()).hexdigest()


def text_of(content: Mapping[str, Any]) -> str:
    return json.dumps(content, indent=1, sort_keys=True) + "\n"


def write_provenance(table: Path, **facts: Any) -> None:
    """Write a table's provenance, alone or with other tables: the facts given and the table's sha256."""
    content = {**facts, "sha256": sha256(table)}
    together = _TOGETHER.get()
    if together is None:
        write_atomic(provenance_path(table), text_of(content))
    else:
        together[table.absolute()] = content


def read_provenance(table: Path) -> dict[str, Any]:
    """Return a table's provenance. Raises FileNotFoundError without one."""
    together = _TOGETHER.get() or {}
    if table.absolute() in together:
        return together[table.absolute()]
    alone = provenance_path(table)
    if not alone.is_file():
        for several in sorted(table.parent.glob(f"*{END}")):
            content: dict[str, Any] = json.loads(several.read_text(encoding="utf-8"))
            tables = content.pop("written", {})
            if table.name in tables:
                return {**content, **tables[table.name]}
    facts: dict[str, Any] = json.loads(alone.read_text(encoding="utf-8"))
    return facts


def has_provenance(table: Path) -> bool:
    try:
        read_provenance(table)
    except FileNotFoundError:
        return False
    return True


def checked_provenance(table: Path) -> dict[str, Any]:
    """Return the provenance of a table. Raises ProvenanceError where there is none, or a damaged one."""
    try:
        facts = read_provenance(table)
        _ = facts["sha256"]
    except FileNotFoundError as missing:
        raise ProvenanceError(f"{table} has no provenance beside it ({missing.filename})") from missing
    except (ValueError, KeyError, TypeError) as damaged:
        raise ProvenanceError(f"the provenance of {table} is damaged; {_REMEDY}") from damaged
    return facts


def verified(table: Path) -> dict[str, Any]:
    """Return the provenance of a table. Raises ProvenanceError for a wrong checksum or without provenance."""
    facts = checked_provenance(table)
    if facts["sha256"] != sha256(table):
        raise ProvenanceError(f"{table}: its checksum is not the one in its provenance; {_REMEDY}")
    return facts


def engine_facts(about: Mapping[str, Any]) -> dict[str, Any]:
    """Return the identity of an engine (version, package build, checksums of weights and databases) and of our code.

    `about` is what its process says (Session). The evaluation of the opening position is a separate fact: it depends on
    how the build divides, and matches that differ in it are pooled.
    """
    return {
        "engine": {name: about[name] for name in ("version", "package", "checksums")},
        "opening_evaluation": about["opening_evaluation"],
        "code_version": code_version(),
    }


def sha256(path: Path) -> str:
    with path.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()


PART = re.compile(r"\.[0-9a-f]{16}\.part")
"""Names of files that `atomic_path` has begun: those of nobody else's files."""


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """Yield a temporary name, which is renamed to the path when the file is complete, else deleted."""
    part = path.with_name(f".{secrets.token_hex(8)}.part")
    try:
        yield part
        part.replace(path)
    except OSError as problem:
        problem.filename = problem.filename or str(path)  # the error of a full disk names no file
        raise
    finally:
        part.unlink(missing_ok=True)


def write_atomic(path: Path, content: str | bytes) -> None:
    with atomic_path(path) as part:
        part.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)


@cache
def code_version(project: Path | None = CHECKOUT) -> str:
    """Return the project's version: the commit, with `-dirty` if files differ from it, or that of the package.

    Results do not count, since they change during a run.
    """
    if project is None:
        return f"bgrating {__version__}"
    git = ["git", "-C", str(project)]
    commit = _output([*git, "describe", "--always", "--abbrev=12"])
    if not commit:
        return _UNKNOWN
    changed = _output([*git, "status", "--porcelain", "--untracked-files=no", "--", ".", ":!results"])
    return f"{commit}-dirty" if changed else commit


def is_of_a_commit() -> bool:
    """Return whether `code_version` names every byte of the code."""
    return not code_version().endswith(("-dirty", _UNKNOWN))


def _output(command: list[str]) -> str:
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return result.stdout.strip() if result.returncode == 0 else ""
