"""Compare published and regenerated coefficients."""

from pathlib import Path

from bgrating.tables.tables import read_table, write_table
from study.asked import Asked
from study.comparison import causes
from study.custody import origin


def run(_: Asked, __: str, out: str, *fits: str) -> None:
    tables = list(map(Path, fits))
    found = causes({table.parent.name: read_table(table) for table in tables})
    write_table(found, Path(out), "comparison/causes", **origin(Path(out), tables[-1], tables))
