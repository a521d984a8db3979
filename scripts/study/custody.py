"""Custody of what a study played: each record names the cell that its file belongs to and what it was made of.

A step compares before it computes, so that a file in another one's place stops it, whatever its checksum says.
"""

import os
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from bgrating import BgratingError
from bgrating.tables.provenance import has_provenance, read_provenance, sha256

Json = Mapping[str, Any]
_CELL = ("players", "match_length", "study_seed", "shard", "rows")
"""What the record of an archive says of its cell; `rows` are its matches."""
ANEW = "delete the folder of its study and run again, or give another results="

MANIFEST = "SHA256SUMS"
"""The file beside the kept results that ends the chain: `./run documents` writes it."""


class CustodyError(BgratingError):
    """A file is not what its place or its record says; the message names both and the remedy."""


def cell_of(facts: Json) -> dict[str, Any]:
    """Return the cell of an archive by its record. Raises KeyError for a record that names none."""
    return {name: facts[name] for name in _CELL}


def require_cell(path: Path, facts: Json, task: Json) -> None:
    """Compare the record of an archive, or the `cell` of a table's, with what its place is for.

    `task` is that of `Asked.task`. Raises CustodyError naming the file, what it holds and what it should hold.
    """
    planned = {name: task[name] for name in ("players", "match_length", "study_seed", "shard")}
    planned |= {"rows": task["matches"]}
    if isinstance(planned["players"][0], str):  # programs go by their short names
        planned["players"] = list(task["names"])
    held = {name: facts.get(name) for name in _CELL}
    if held == planned:
        return
    if _in_words(held) == _in_words(planned):
        raise CustodyError(f"{path} was played by levels of other settings than now: {ANEW}")
    raise CustodyError(
        f"{path} holds {_in_words(held)}, and its place is that of {_in_words(planned)}: put it back where it belongs, "
        "or delete it and run again"
    )


def require_design(path: Path, facts: Json, seed: int, cells: str) -> None:
    """Compare the record of a study's matches with the seed and the cells of its design. Raises CustodyError."""
    require_seed(path, facts, seed)
    if facts.get("cells") != cells:
        raise CustodyError(f"{path} holds matches of another design: delete it and run again, or give another results=")


def require_seed(path: Path, facts: Json, seed: int) -> None:
    """Compare the record of a study's matches with the seed of its design. Raises CustodyError."""
    if facts["study_seed"] != seed:
        raise CustodyError(
            f"{path} holds matches of the seed {facts['study_seed']}, not of {seed}: give that seed, or "
            "results= another folder"
        )


def made_of(path: Path, sources: Mapping[Path, str]) -> dict[str, dict[str, str]]:
    """Return what the record of a file says of its sources, whose SHA-256 are given: `made_of`, by relative path."""
    return {"made_of": {os.path.relpath(source, path.parent): sha256 for source, sha256 in sources.items()}}


def origin(path: Path, table: Path, sources: Iterable[Path]) -> dict[str, Any]:
    """Return what the record of a file has from the record of a table before it, and its sources (`made_of`).

    Raises CustodyError for a source that was made of another one, but not as that is now.
    """
    facts, digests = read_provenance(table), {source: sha256(source) for source in sources}
    for source in filter(has_provenance, digests):
        record = read_provenance(source)
        for other in digests.keys() & _sources(source, record):
            require_made_of(source, record, other, digests[other])
    taken = {key: facts[key] for key in facts if key not in ("sha256", "rows", "code_version", "made_of")}
    about = {"matches_sha256": facts["sha256"], "matches": facts["rows"]}
    return {**about, **taken, **made_of(path, digests)}


def require_made_of(path: Path, facts: Json, source: Path, sha256: str) -> None:
    """Compare the digest of a source in a file's record with that which it has now. Raises CustodyError."""
    if facts.get("made_of", {}).get(os.path.relpath(source, path.parent)) != sha256:
        raise CustodyError(f"{path} was not made of {source} as that is now: delete {path.name} and run again")


def _sources(path: Path, facts: Json) -> dict[Path, str]:
    return {Path(os.path.normpath(path.parent / name)): sha for name, sha in facts.get("made_of", {}).items()}


def _in_words(cell: Json) -> str:
    if not cell.get("players"):
        return "no cell of a study"
    names = [player if isinstance(player, str) else player["name"] for player in cell["players"]]
    return (
        f"{' against '.join(names)} to {cell['match_length']} points (shard {cell['shard']}, seed "
        f"{cell['study_seed']}, {cell['rows']} matches)"
    )


def chain(results: Path) -> str:
    """Check every kept file against the manifest, and what records say of their files and of what those were made of.

    `sha256sum --check SHA256SUMS` does the first of it. A source that is not kept, such as a shard, is skipped. Raises
    CustodyError naming every file that differs.
    """
    sums = listed(results)
    links, problems = 0, list[str]()
    for path, digest in sums.items():
        if not path.is_file():
            problems.append(f"{path} is not there")
            continue
        if sha256(path) != digest:
            problems.append(f"{path} is not the one that {MANIFEST} lists")
        if has_provenance(path):
            facts = read_provenance(path)
            named = {path: facts["sha256"]}
            named |= _sources(path, facts)
            named |= {path.parent / f"frozen/{length}.parquet": sha for length, sha in facts.get("tables", {}).items()}
            known = {source: sha for source, sha in named.items() if source in sums}
            links += len(known)
            problems += [
                f"the record of {path} names another {source}" for source in known if sums[source] != known[source]
            ]
    if problems:
        raise CustodyError("; ".join(problems) + ": restore what differs from the repository")
    return f"{len(sums)} files have the checksums of {MANIFEST}, {links} those of records"


def listed(results: Path) -> dict[Path, str]:
    """Return the SHA-256 of the files that the manifest lists."""
    lines = (results / MANIFEST).read_text(encoding="utf-8").splitlines()
    return {results / name: digest for digest, name in (line.split("  ", 1) for line in lines)}


def manifest(results: Path) -> str:
    """Return the SHA-256 of every file below `results` that Git tracks, in the format of sha256sum."""
    listed = subprocess.run(["git", "-C", str(results), "ls-files"], capture_output=True, text=True, check=True).stdout
    names = [name for name in listed.splitlines() if name not in (MANIFEST, "README.md")]
    return "".join(f"{sha256(results / name)}  {name}\n" for name in names)
