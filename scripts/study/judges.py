"""`./run judges`: is it the judge? Freezes losses by several depths on the same matches and writes their tables."""

from collections.abc import Mapping
from pathlib import Path

import click
import pandas as pd

from bgrating import BgratingError
from bgrating.command import PATH
from bgrating.engine.nets import committed_results, known_nets
from bgrating.tables.provenance import one_provenance, read_provenance
from bgrating.tables.tables import read_rows, read_table, write_all, write_rows
from study import documents
from study.people.judge import SCHEMA, by_few, judges, losses

OFFSET = 2050.0


class JudgesError(BgratingError):
    """The tables to compare do not fit together."""


@click.command()
@click.option("--nets", type=click.Choice(known_nets()), default="1.08", help="whose folder takes the losses")
@click.option("--matches", type=PATH, help="the matches.csv with the luck-adjusted results")
@click.option("--below", default="", help="only files of --matches whose path starts so")
@click.argument("levels", nargs=-1, metavar="LEVEL=PATH...")
def command(nets: str, matches: Path | None, below: str, levels: tuple[str, ...]) -> None:
    """Is it the judge? Losses by several depths on the same matches, and what they are worth for a rating.

    Without arguments the tables are computed anew from the frozen losses of both collections: 1.07.001 holds the
    matches of one man, judged by its levels, and 1.08 those of strong players. The documents are rendered afterwards.
    --matches and LEVEL=PATH, as in "1.07.001 2-ply=FOLDER", freeze the losses first. A PATH is a matches.csv, or a
    folder with several of them below.
    """
    if bool(matches) != bool(levels):
        raise JudgesError("judges: --matches and at least one LEVEL=PATH go together")
    if matches:
        paths = dict(level.partition("=")[::2] for level in levels)
        freeze(matches, below, {level: Path(path) for level, path in paths.items()}, _folder(nets))
    for version in known_nets():
        if (_folder(version) / "frozen" / "losses.parquet").is_file():
            write_tables(_folder(version))
    documents.write()


def freeze(results: Path, below: str, levels: Mapping[str, Path], folder: Path) -> None:
    """Write the losses of both players of the same matches by every level into the folder's frozen table.

    Matches are the same if their file names and numbers are. Raises JudgesError naming the table that does not fit.
    """
    about = read_table(results)
    about = _named(about[about["file"].str.startswith(below)], results)
    judged, sources = {}, {}
    for level, path in levels.items():
        tables = sorted(path.rglob("matches.csv")) if path.is_dir() else [path]
        if not all(table.is_file() for table in tables) or not tables:
            raise JudgesError(f"judges: {path} is no matches.csv, and there is none below it")
        judged[level] = _named(pd.concat([read_table(table) for table in tables], ignore_index=True), path)
        facts = read_provenance(tables[0])
        sources[level] = {"engine": facts["engine"], "analysis": facts["analysis"]}
    table = losses(judged, about)
    write_rows(
        table, SCHEMA, folder / "frozen" / "losses.parquet", matches=int(table["match"].nunique()), levels=sources
    )


def write_tables(folder: Path) -> None:
    """Write judges.csv and judges_few.csv from the folder's frozen losses."""
    path = folder / "frozen" / "losses.parquet"
    table = read_rows(path, SCHEMA)
    with one_provenance(folder / "people_judge.provenance.json"):
        tables = {"judges_few": by_few(table, OFFSET), "judges": judges(table)}
        write_all(tables, folder, "people", losses_sha256=read_provenance(path)["sha256"])


def _folder(nets: str) -> Path:
    return committed_results(nets) / "people-depth"


def _named(table: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Return a table of matches with file names in place of their paths. Raises JudgesError where two are alike."""
    table = table.assign(file=table["file"].str.rsplit("/", n=1).str[-1])
    if table.duplicated(["file", "match", "side"]).any():
        raise JudgesError(f"judges: {path} has two matches of the same file name and number")
    return table
