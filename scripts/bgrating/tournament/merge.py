"""Archives of a tournament: take over what another machine has played of it, and keep examples."""

import shutil
import zipfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bgrating import BgratingError
from bgrating.provenance import provenance_path, read_provenance, replace, verified, whole
from bgrating.study.designs import Design, shard_table


class MergeError(BgratingError):
    """Shards do not belong to the same tournament; the message names the shard and the difference."""


def merge(design: Design, results: Path, other: Path) -> list[str]:
    """Copy the analysed shards of a folder of the same tournament that are not here yet; return a line on each cell.

    `other` is a folder results/tournament/<name>. Only shards with archive, table and both provenances count, so one
    that is still being played there does no harm. A shard that both have is taken from whoever played more of it; what
    both played of it must be the same bytes. Raises MergeError where there is no such folder, a checksum is wrong, or a
    shard was played with another seed, level, engine or match length, before anything of that cell is copied.
    """
    if not (other / "shards").is_dir():
        raise MergeError(f"merge={other}: no folder of a tournament (it has no shards in it)")
    lines = []
    for point in design.points:
        home = shard_table(results, design.study, point, 0).parent
        away = other / "shards" / str(point.match_length) / home.name
        tables = [table for table in sorted(away.glob("[0-9][0-9][0-9].csv")) if _whole(table)]
        wanted = [table for table in tables if _is_wanted(design, table, home / table.name)]
        home.mkdir(parents=True, exist_ok=True)
        for table in wanted:
            _copy(table, home)
        lines.append(f"{home.name}: {len(wanted)} of {len(tables)} shards taken over")
    return lines


def _whole(table: Path) -> bool:
    parts = (table, table.with_suffix(".zip"))
    return all(part.is_file() and provenance_path(part).is_file() for part in parts)


def _is_wanted(design: Design, table: Path, here: Path) -> bool:
    """Say whether a shard is worth taking over.

    Raises MergeError where it is of another tournament, ProvenanceError where it is damaged.
    """
    archive = table.with_suffix(".zip")
    for part in (archive, table):
        verified(part)
    facts = _facts(table)
    first, _, second = table.parent.name.partition("~")
    levels = [asdict(design.player_level(spec)) for spec in (first, second)]
    expected = {"study_seed": design.seed, "players": levels, "analysis": asdict(design.analysis_level())}
    for name, value in expected.items():
        if facts[name] != value:
            raise MergeError(f"{table}: {name} is {facts[name]}, not {value} as in this tournament")
    if not _whole(here):
        return True
    ours = _facts(here)
    if ours["engine"] != facts["engine"]:
        raise MergeError(f"{table}: engine is {facts['engine']}, not {ours['engine']} as in {here}")
    _require_same_matches(archive, here.with_suffix(".zip"))
    return bool(facts["rows"] > ours["rows"])


def _facts(table: Path) -> dict[str, Any]:
    return {**read_provenance(table), **read_provenance(table.with_suffix(".zip"))}


def _require_same_matches(archive: Path, ours: Path) -> None:
    with zipfile.ZipFile(archive) as theirs, zipfile.ZipFile(ours) as here:
        for name in sorted(set(theirs.namelist()) & set(here.namelist())):
            if theirs.read(name) != here.read(name):
                raise MergeError(f"{archive}: {name} is another match than in {ours}, though all settings are the same")


def _copy(table: Path, home: Path) -> None:
    """Copy a shard's four files, each whole or not at all, in the order in which they are made."""
    archive = table.with_suffix(".zip")
    for path in (archive, provenance_path(archive), table, provenance_path(table)):
        with whole(home / path.name) as part:
            shutil.copyfile(path, part)


def keep_examples(archives: Mapping[str, Path], folder: Path) -> None:
    """Write the first match of each archive as `<name>.mat` into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, archive in archives.items():
        with zipfile.ZipFile(archive) as matches:
            replace(folder / f"{name}.mat", matches.read(min(matches.namelist())))
