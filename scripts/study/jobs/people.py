"""Estimate what the formula does not know of people."""

from pathlib import Path

from bgrating.rating.formula import read_formula
from bgrating.tables.provenance import one_provenance
from bgrating.tables.tables import write_all
from study.asked import Asked
from study.people.tables import frozen_tables


def run(asked: Asked, _: str, provenance: str) -> None:
    out = Path(provenance)
    made = frozen_tables(asked.nets, read_formula(asked.played / "formula.json"))
    with one_provenance(out):
        write_all(made, out.parent, "people", nets=asked.nets)
