"""The list of the kept results, SHA256SUMS.

`manifest` makes it; `chain` tests that it, the files and their provenance agree.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from pathspec import GitIgnoreSpec

from bgrating.places import DATA as PROJECT
from bgrating.tables.provenance import ProvenanceError, checked_provenance, has_provenance, sha256
from bgrating.tables.regular import regular
from study.custody import CustodyError, sources_of

# `./run documents` writes it.
MANIFEST = "SHA256SUMS"
_ENTRY = re.compile(r"([0-9a-f]{64})  ([^/].*)")
_LARGEST = 10**7  # bytes
_NAMED = 5  # problems in a sentence


def chain(results: Path) -> str:
    """Check the manifest against the kept files, each file against the manifest, and what each
    provenance names.

    A source that is not kept, such as a shard, is skipped. Raises CustodyError naming every file
    that differs.
    """
    sums = listed(results)
    problems = [
        f"{path} is not listed in {MANIFEST}" for path in kept_files(results) if path not in sums
    ]
    for path, digest in sums.items():
        if not path.is_file():
            problems.append(f"{path} is not there")
            continue
        if sha256(path) != digest:
            problems.append(f"{path} is not the one that {MANIFEST} lists")
        problems += _disagreements(path, sums)
    if problems:
        named = problems[:_NAMED]
        if len(problems) > _NAMED:
            named.append(f"and {len(problems) - _NAMED:,} more")
        raise CustodyError(f"{'; '.join(named)}: restore what differs from the repository")
    return f"{len(sums)} files have the checksums of {MANIFEST} and of their records"


def _disagreements(path: Path, sums: Mapping[Path, str]) -> Iterator[str]:
    """Yield a sentence for each file that a provenance names with another checksum."""
    try:
        if not has_provenance(path):
            return
        provenance = checked_provenance(path)
        frozen = provenance.get("tables", {})
        tables = {path.parent / f"frozen/{length}.parquet": frozen[length] for length in frozen}
        named = {path: provenance["sha256"], **sources_of(path, provenance), **tables}
    except ProvenanceError as damaged:
        yield str(damaged)
    except (AttributeError, TypeError):
        yield f"the provenance of {path} names its sources in no table"
    else:
        for source, recorded in named.items():
            if sums.get(source, recorded) != recorded:
                yield f"the record of {path} names another {source}"


def listed(results: Path) -> dict[Path, str]:
    """Return the SHA-256 of the files that the manifest lists.

    Raises CustodyError if it is no such list.
    """
    path = results / MANIFEST
    sums = dict[Path, str]()
    try:
        with regular(path, _LARGEST) as file:
            lines = file.read().decode("utf-8").splitlines()
    except (OSError, ValueError) as problem:
        raise CustodyError(
            f"{path} cannot be read ({problem}): restore it from the repository"
        ) from problem
    for number, line in enumerate(lines, start=1):
        entry = _ENTRY.fullmatch(line)
        if not entry or ".." in entry[2].split("/") or results / entry[2] in sums:
            raise CustodyError(
                f"{path}: line {number} does not list a file of its own: restore it from the"
                " repository"
            )
        sums[results / entry[2]] = entry[1]
    return sums


def kept_files(results: Path) -> list[Path]:
    """Return the files below `results` that .gitignore does not name, except the manifest and the
    text about the folder.
    """
    ignored = GitIgnoreSpec.from_lines(
        (PROJECT / ".gitignore").read_text(encoding="utf-8").splitlines()
    )
    walked = [path.relative_to(results).as_posix() for path in results.rglob("*") if path.is_file()]
    tracked = {name for name in walked if not ignored.match_file(f"results/{name}")}
    return [results / name for name in sorted(tracked - {MANIFEST, "README.md"})]


def manifest(results: Path) -> str:
    """Return the SHA-256 of every kept file below `results`, in the format of sha256sum."""
    return "".join(f"{sha256(path)}  {path.relative_to(results)}\n" for path in kept_files(results))
