"""Make the tables of the law, or of the comparison with 2003.

Inputs: matches of the studies, as far as they have been played. The law: coefficients fixed before tests, the tables
`lengths` and `between` of other nets. Outputs: the tables with one provenance, and of the law formula.json.
"""

from pathlib import Path

import pandas as pd

from bgrating.engine.nets import one_nets
from bgrating.entry import reporting
from bgrating.tables.provenance import one_provenance
from bgrating.tables.tables import read_table, write_all

PROVENANCE = Path(snakemake.output.provenance)


def law_tables(nets: str) -> None:
    """Judge the forms of the rating formula and fit the formula of an engine."""
    from study.law.tables import read_matches, tables  # noqa: PLC0415 - each rule names the modules of its own subject
    from study.law.tests import fixed_coefficients  # noqa: PLC0415

    matches, studies = read_matches(snakemake.input.matches, nets)
    fixed = {
        path.name.removesuffix("-fixed.json"): fixed_coefficients(path) for path in map(Path, snakemake.input.fixed)
    }
    others = {path.parents[1].name: read_table(path) for path in map(Path, snakemake.input.others)}
    fourth = [table for table in map(read_table, map(Path, snakemake.input.others_test)) if len(table)]
    made, formula = tables(matches, fixed, others, fourth[0] if fourth else pd.DataFrame(), nets)
    with one_provenance(PROVENANCE):
        write_all(made, PROVENANCE.parent, "law", studies=studies, nets=nets)
    formula.write(Path(snakemake.output.formula), studies=studies, nets=nets)


def compare() -> None:
    """Compare published and regenerated."""
    from study.comparison import read, tables  # noqa: PLC0415

    studies = {study.name: study for study in (read(Path(table).parent) for table in snakemake.input.matches)}
    one_nets({name: study.facts["engine"] for name, study in studies.items()})
    facts = {name: study.facts for name, study in studies.items()}
    with one_provenance(PROVENANCE):
        write_all(tables(studies), PROVENANCE.parent, "comparison", studies=facts)


with reporting(snakemake.log[0]):
    match snakemake.params.about:
        case "law":
            law_tables(snakemake.config["nets"])
        case "comparison":
            compare()
