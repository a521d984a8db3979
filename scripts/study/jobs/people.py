"""Write the tables that test the formula on people."""

from pathlib import Path

from bgrating.rating.formula import read_formula
from bgrating.tables.provenance import one_provenance
from bgrating.tables.table_files import write_all
from study.people.tables import frozen_tables
from study.settings import Settings


def run(settings: Settings, provenance: str) -> None:
    tables = frozen_tables(settings.nets, read_formula(settings.played / "formula.json"))
    with one_provenance(Path(provenance)):
        write_all(tables, Path(provenance).parent, "people", nets=settings.nets)
