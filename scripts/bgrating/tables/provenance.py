"""Write beside every table where it came from: once for all tables that one rule writes into a folder."""

import hashlib
import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bgrating import BgratingError, __version__
from bgrating.places import CHECKOUT, DATA

if TYPE_CHECKING:
    from bgrating.engine.session import Answer

_END = ".provenance.json"
_OF_A_TABLE = ("rows", "sha256")
_TOGETHER: ContextVar[dict[Path, dict[str, Any]] | None] = ContextVar("together", default=None)
"""What is known of the tables that are to have one provenance; None where each has its own."""
_REMEDY = "restore both from the repository, or delete both and run again"


class ProvenanceError(BgratingError):
    """A table is not the one that its provenance describes."""


def provenance_path(table: Path) -> Path:
    """Return the path of the provenance that a table has for itself."""
    return table.with_name(table.name + _END)


@contextmanager
def one_provenance(path: Path) -> Iterator[None]:
    """Write one provenance, `<rule>.provenance.json` in their folder, for all tables that are written within.

    What all have in common stands once; `written` holds what each has for itself, its rows and sha256.
    """
    tables: dict[Path, dict[str, Any]] = {}
    before = _TOGETHER.set(tables)
    try:
        yield
        first = next(iter(tables.values()), {})
        common = {key: value for key, value in first.items() if all(one.get(key) == value for one in tables.values())}
        common = {key: value for key, value in common.items() if key not in _OF_A_TABLE}
        own = {table.name: {key: one[key] for key in one if key not in common} for table, one in tables.items()}
        write_atomic(path, json.dumps({**common, "written": own}, indent=1, sort_keys=True) + "\n")
        for table in tables:  # one that it had for itself would be taken first
            provenance_path(table).unlink(missing_ok=True)
    finally:
        _TOGETHER.reset(before)


def write_provenance(table: Path, **facts: Any) -> None:
    """Write a table's provenance, beside it or with that of others: the facts given and the table's sha256."""
    content = {**facts, "sha256": sha256(table)}
    together = _TOGETHER.get()
    if together is None:
        write_atomic(provenance_path(table), json.dumps(content, indent=1, sort_keys=True) + "\n")
    else:
        together[table.absolute()] = content


def read_provenance(table: Path) -> dict[str, Any]:
    """Return a table's provenance. Raises FileNotFoundError where there is none."""
    together = _TOGETHER.get() or {}
    if table.absolute() in together:
        return together[table.absolute()]
    own = provenance_path(table)
    if not own.is_file():
        for several in sorted(table.parent.glob(f"*{_END}")):
            content: dict[str, Any] = json.loads(several.read_text(encoding="utf-8"))
            tables = content.pop("written", {})
            if table.name in tables:
                return {**content, **tables[table.name]}
    facts: dict[str, Any] = json.loads(own.read_text(encoding="utf-8"))
    return facts


def has_provenance(table: Path) -> bool:
    """Return whether a table has a provenance, for itself or with others."""
    try:
        read_provenance(table)
    except FileNotFoundError:
        return False
    return True


def verified(table: Path) -> dict[str, Any]:
    """Return the provenance of a table whose checksum is right. Raises ProvenanceError where it is wrong or absent."""
    try:
        facts = read_provenance(table)
    except FileNotFoundError as missing:
        raise ProvenanceError(f"{table} has no provenance beside it ({missing.filename})") from missing
    except json.JSONDecodeError as damaged:
        raise ProvenanceError(f"the provenance of {table} is damaged; {_REMEDY}") from damaged
    if facts["sha256"] != sha256(table):
        raise ProvenanceError(f"{table}: its checksum is not the one in its provenance; {_REMEDY}")
    return facts


def engine_facts(answer: "Answer") -> dict[str, Any]:
    """Return what identifies an engine (its version, its package's build, its weights and databases) and our code.

    Its evaluation of the opening position stands apart: it depends on the processor, and what differs in it is pooled.
    """
    engine = {"version": answer.version, "package": answer.package, "checksums": dict(answer.checksums)}
    return {
        "engine": engine,
        "opening_evaluation": list(answer.opening_evaluation),
        "code_version": code_version(),
    }


def sha256(path: Path) -> str:
    """Return a file's sha256 in hexadecimal."""
    with path.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()


@cache
def product_version() -> str:
    """Return a hash of the product's code and templates."""
    key = hashlib.sha256()
    for path in [*sorted(Path(__file__).parents[1].rglob("*.py")), *sorted((DATA / "report").glob("*"))]:
        key.update(path.read_bytes())
    return key.hexdigest()


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """Give another name to write a file under, which then gets its own: whole, or not at all and nothing is left."""
    part = path.with_name(path.name + ".part")
    try:
        yield part
        part.replace(path)
    except OSError as problem:
        problem.filename = problem.filename or str(path)  # a full disk does not say which file it had no room for
        raise
    finally:
        part.unlink(missing_ok=True)


def write_atomic(path: Path, content: str | bytes) -> None:
    """Write a file whole or not at all."""
    with atomic_path(path) as part:
        part.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)


@cache
def code_version(project: Path | None = CHECKOUT) -> str:
    """Return the project's version: the commit, with `-dirty` where files differ from it, or that of the package.

    Results do not count: they change while a run makes one after the other.
    """
    if project is None:
        return f"bgrating {__version__}"
    git = ["git", "-C", str(project)]
    commit = _said([*git, "describe", "--always", "--abbrev=12"])
    if not commit:
        return "not a git checkout"
    changed = _said([*git, "status", "--porcelain", "--untracked-files=no", "--", ".", ":!results"])
    return f"{commit}-dirty" if changed else commit


def _said(command: list[str]) -> str:
    try:
        found = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return found.stdout.strip() if found.returncode == 0 else ""
