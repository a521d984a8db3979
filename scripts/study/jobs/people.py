"""Write the tables that test the formula on people."""

from pathlib import Path

from bgrating.rating.formula import read_formula
from bgrating.tables.provenance import one_provenance
from bgrating.tables.table_files import write_all
from study.people.people_tables import frozen_tables
from study.workflow_settings import Settings


def run(settings: Settings, provenance: str) -> None:
    folder = Path(provenance).parent
    tables = frozen_tables(settings.engine_version, read_formula(folder.parent / "formula.json"))
    with one_provenance(Path(provenance)):
        write_all(tables, folder, "people", nets=settings.engine_version)
