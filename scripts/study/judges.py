"""`./run judges`: is it the judge? Losses by several depths on the same matches, and what they are worth for a rating.

Without arguments the tables are computed anew from the frozen losses of both collections: `1.07.001` holds the matches
of one man, judged by its levels, and `1.08` those of strong players. The documents are rendered afterwards. `--matches`
and `LEVEL=PATH` freeze the losses first. A PATH is a matches.csv, or a folder with several of them below.
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

import pandas as pd

from bgrating import BgratingError
from bgrating.engine.nets import committed_results, known_nets
from bgrating.tables.provenance import one_provenance, read_provenance
from bgrating.tables.tables import read_rows, read_table, write_all, write_rows
from study import documents
from study.people.judge import SCHEMA, by_few, judges, losses

OFFSET = 2050.0


class JudgesError(BgratingError):
    """The tables to compare do not fit together."""


def main(words: Sequence[str], caller: Path) -> int:
    """Freeze losses if tables are given, then write the tables of every collection, and the documents."""
    parser = argparse.ArgumentParser(prog="./run judges", description=__doc__, allow_abbrev=False)
    parser.error = _refuse  # type: ignore[method-assign] # one sentence, not the usage
    parser.add_argument("--nets", choices=known_nets(), default="1.08", help="whose folder takes the losses")
    parser.add_argument("--matches", help="the matches.csv with the luck-adjusted results")
    parser.add_argument("--below", default="", help="only files of --matches whose path starts so")
    parser.add_argument("levels", nargs="*", metavar="LEVEL=PATH", help='for example "1.07.001 2-ply=FOLDER"')
    options = parser.parse_args(list(words))
    if bool(options.matches) != bool(options.levels):
        raise JudgesError("judges: --matches and at least one LEVEL=PATH go together")
    if options.levels:
        paths = dict(level.partition("=")[::2] for level in options.levels)
        freeze(
            caller / options.matches, options.below, {level: caller / path for level, path in paths.items()},
            _folder(options.nets),
        )  # fmt: skip
    for nets in known_nets():
        if (_folder(nets) / "frozen" / "losses.parquet").is_file():
            write_tables(_folder(nets))
    return documents.main([], caller)


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


def _refuse(message: str) -> NoReturn:
    raise JudgesError(f"judges: {message}; ./run judges --help lists the options")


def _named(table: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Return a table of matches with file names in place of their paths. Raises JudgesError where two are alike."""
    table = table.assign(file=table["file"].str.rsplit("/", n=1).str[-1])
    if table.duplicated(["file", "match", "side"]).any():
        raise JudgesError(f"judges: {path} has two matches of the same file name and number")
    return table
