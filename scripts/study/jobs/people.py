"""Write the tables that test the formula on people."""

from pathlib import Path

from bgrating.rating.formula import read_formula
from bgrating.tables.provenance import one_provenance
from bgrating.tables.tables import write_all
from study.asked import Asked
from study.people.tables import frozen_tables


def run(asked: Asked, provenance: str) -> None:
    tables = frozen_tables(asked.nets, read_formula(asked.played / "formula.json"))
    with one_provenance(Path(provenance)):
        write_all(tables, Path(provenance).parent, "people", nets=asked.nets)
