"""Compare published and regenerated: make every table of the comparison from the studies that have been played.

Inputs: match tables, points, coefficients and formulas of those studies. Outputs: the tables with one provenance.
"""

from pathlib import Path

from bgrating.engine.nets import one_nets
from bgrating.entry import reporting
from bgrating.tables.provenance import one_provenance
from bgrating.tables.tables import write_all
from study.comparison.studies import read
from study.comparison.tables import tables

with reporting(snakemake.log[0]), one_provenance(Path(snakemake.output.provenance)):
    studies = {study.name: study for study in (read(Path(table).parent) for table in snakemake.input.matches)}
    one_nets({name: study.facts["engine"] for name, study in studies.items()})
    origin = {"studies": {name: study.facts for name, study in studies.items()}}
    write_all(tables(studies), Path(snakemake.output.provenance).parent, "comparison", **origin)
