"""Write the table of regenerated coefficients over published ones."""

from pathlib import Path

from bgrating.tables.tables import read_table, write_table
from study.asked import Asked
from study.comparison import causes
from study.custody import origin


def run(_: Asked, out: str, *fits: str) -> None:
    tables = list(map(Path, fits))
    factors = causes({table.parent.name: read_table(table) for table in tables})
    write_table(factors, Path(out), "comparison/causes", **origin(Path(out), tables[-1], tables))
