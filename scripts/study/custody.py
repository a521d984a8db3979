"""Chain of custody of a study's files.

The provenance of a file names its cell of the design and its sources.

Every job checks its inputs first, so a swapped file stops the job even if its checksum is valid.
"""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from bgmatch.records import Json, Record
from bgrating import BgratingError
from bgrating.tables.provenance import has_provenance, read_provenance, sha256

# The metadata that identify the cell of an archive; `rows` is the number of its matches.
_CELL = ("players", "match_length", "study_seed", "shard", "rows")
ANEW = "delete the folder of its study and run again, or give another results="


class CustodyError(BgratingError):
    """A file does not belong to its place or its provenance.

    The message names both and the remedy.
    """


def cell_of(metadata: Record) -> Json:
    """Return the cell of an archive from its provenance. Raises KeyError if that names none."""
    return {name: metadata[name] for name in _CELL}


def require_cell(path: Path, metadata: Record, task: Record) -> None:
    """Require that an archive, or a table made of it, belongs to the cell of its place.

    `metadata` is the provenance of the archive, or the `cell` in that of the table; `task` comes
    from `Settings.task`. Raises CustodyError naming the file, its cell and the cell of its place.
    """
    planned = cell_of({**task, "rows": task["matches"]})
    if isinstance(planned["players"][0], str):  # programs are recorded by their short names
        planned["players"] = list(task["names"])
    recorded = {name: metadata.get(name) for name in _CELL}
    if recorded == planned:
        return
    if _in_words(recorded) == _in_words(planned):
        raise CustodyError(f"{path} was played by levels of other settings than now: {ANEW}")
    raise CustodyError(
        f"{path} holds {_in_words(recorded)}, and its place is that of {_in_words(planned)}: put it"
        " back where it belongs, or delete it and run again"
    )


def require_seed(path: Path, metadata: Record, seed: int) -> None:
    """Require that matches were played with the seed of their design. Raises CustodyError."""
    if metadata["study_seed"] != seed:
        raise CustodyError(
            f"{path} holds matches of the seed {metadata['study_seed']}, not of {seed}: give that"
            " seed, or results= another folder"
        )


def made_of(path: Path, sources: Mapping[Path, str]) -> dict[str, dict[str, str]]:
    """Return the entry `made_of` of a file: the given SHA-256 of its sources, by relative path."""
    by_path = {os.path.relpath(source, path.parent): sources[source] for source in sources}
    return {"made_of": by_path}


def origin(path: Path, table: Path, sources: Iterable[Path]) -> Json:
    """Return the metadata that a file inherits from the table that it was made of, and its sources
    (`made_of`).

    Raises CustodyError if a source was made of another version of a second one.
    """
    metadata = dict(read_provenance(table))
    digests = {source: sha256(source) for source in sources}
    for source in filter(has_provenance, digests):
        record = read_provenance(source)
        for shared in sorted(digests.keys() & sources_of(source, record)):
            require_made_of(source, record, shared, digests[shared])
    matches = {"matches_sha256": metadata.pop("sha256"), "matches": metadata.pop("rows")}
    metadata.pop("code_version", None)
    return {**matches, **metadata, **made_of(path, digests)}


def require_made_of(path: Path, metadata: Record, source: Path, digest: str) -> None:
    """Require that a file was made of a source with this SHA-256. Raises CustodyError."""
    if metadata.get("made_of", {}).get(os.path.relpath(source, path.parent)) != digest:
        raise CustodyError(
            f"{path} was not made of {source} as that is now: delete {path.name} and run again"
        )


def sources_of(path: Path, metadata: Record) -> dict[Path, str]:
    """Return the SHA-256 of the sources that a file's provenance names (`made_of`)."""
    return {
        Path(os.path.normpath(path.parent / name)): sha
        for name, sha in metadata.get("made_of", {}).items()
    }


def _in_words(cell: Record) -> str:
    if not cell.get("players"):
        return "no cell of a study"
    names = [player if isinstance(player, str) else player["name"] for player in cell["players"]]
    return (
        f"{' against '.join(names)} to {cell['match_length']} points (shard {cell['shard']}, seed "
        f"{cell['study_seed']}, {cell['rows']} matches)"
    )
