"""Write the table of regenerated coefficients over published ones."""

from pathlib import Path

from bgrating.tables.tables import read_table, write_table
from study.comparison import causes
from study.custody import origin
from study.settings import Settings


def run(_: Settings, out: str, *fits: str) -> None:
    tables = list(map(Path, fits))
    factors = causes({table.parent.name: read_table(table) for table in tables})
    write_table(factors, Path(out), "comparison/causes", **origin(Path(out), tables[-1], tables))
