"""Make the tables of the statistics and the recommended formula.

Inputs: matches, points, coefficients and formula of the study of cells, measured costs, matches of other studies, and
the frozen parts of the planned study where they are there. Outputs: the tables and the formula with one provenance.
"""

from pathlib import Path

from bgrating.engine.nets import one_nets
from bgrating.entry import reporting
from bgrating.play.matches import read_checked
from bgrating.rating.formula import write_no_formula
from bgrating.tables.provenance import one_provenance, read_provenance
from bgrating.tables.tables import read_table, write_all
from study.comparison.studies import read
from study.evidence.tables import tables

with reporting(snakemake.log[0]), one_provenance(Path(snakemake.output.provenance)):
    study = read(Path(snakemake.input.matches).parent)
    costs = Path(snakemake.input.costs)
    readers = {"luck": read_checked, "errors": read_checked, "plain": read_table}
    planned = {name: Path(snakemake.input[name][0]) for name in readers if snakemake.input.plain}
    parts = {name: readers[name](path) for name, path in planned.items()} or None
    others = {read_provenance(path)["study"]: read_checked(path) for path in map(Path, snakemake.input.others)}
    known = [read_provenance(Path(path)) for path in (*planned.values(), *snakemake.input.others)]
    studies = {study.name: study.facts} | {facts["study"]: facts for facts in known}
    origin = {"studies": studies, "costs_sha256": read_provenance(costs)["sha256"]}
    one_nets({name: facts["engine"] for name, facts in studies.items()})
    made, formula = tables(study, read_table(costs), parts, others)
    path = Path(snakemake.output.formula)
    write_all(made, path.parent, "statistics", **origin)
    if formula is None:
        reason = "the study of cells has not been played at two match lengths"
        write_no_formula(path, reason, {"study": study.name}, **origin)
    else:
        formula.write(path, **origin)
