"""Write beside every table where it came from."""

import hashlib
import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bgrating import BgratingError

if TYPE_CHECKING:
    from bgrating.gnubg.session import Answer

PROJECT = Path(__file__).resolve().parents[2]
_REMEDY = "restore both from the repository, or delete both and run again"


class ProvenanceError(BgratingError):
    """A table is not the one that its provenance describes."""


def provenance_path(table: Path) -> Path:
    """Return the path of a table's provenance."""
    return table.with_name(table.name + ".provenance.json")


def write_provenance(table: Path, **facts: Any) -> None:
    """Write a table's provenance beside it: the facts given and the table's sha256."""
    content = {**facts, "sha256": sha256(table)}
    replace(provenance_path(table), json.dumps(content, indent=1, sort_keys=True) + "\n")


def read_provenance(table: Path) -> dict[str, Any]:
    """Read a table's provenance. Raises FileNotFoundError where there is none."""
    facts: dict[str, Any] = json.loads(provenance_path(table).read_text(encoding="utf-8"))
    return facts


def verified(table: Path) -> dict[str, Any]:
    """Return the provenance of a table whose checksum is right. Raises ProvenanceError where it is wrong or absent."""
    try:
        facts = read_provenance(table)
    except FileNotFoundError as missing:
        raise ProvenanceError(f"{table} has no provenance beside it ({missing.filename})") from missing
    except json.JSONDecodeError as damaged:
        raise ProvenanceError(f"{provenance_path(table)} is damaged; {_REMEDY}") from damaged
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


@contextmanager
def whole(path: Path) -> Iterator[Path]:
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


def replace(path: Path, content: str | bytes) -> None:
    """Write a file whole or not at all."""
    with whole(path) as part:
        part.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)


@cache
def code_version(project: Path = PROJECT) -> str:
    """Return the project's version: the commit, with `-dirty` where files differ from it.

    Results do not count: they change while a run makes one after the other.
    """
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
