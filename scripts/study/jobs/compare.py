"""Compare published and regenerated coefficients."""

from pathlib import Path

from bgrating.tables.provenance import sha256
from bgrating.tables.tables import inherited, read_table, write_table
from study.asked import Asked
from study.comparison import causes
from study.custody import made_of


def run(_: Asked, __: str, out: str, *fits: str) -> None:
    tables = list(map(Path, fits))
    found = causes({table.parent.name: read_table(table) for table in tables})
    sources = {table: sha256(table) for table in tables}
    write_table(found, Path(out), "comparison/causes", **inherited(tables[-1]), **made_of(Path(out), sources))
