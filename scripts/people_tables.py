"""Make the tables of the check on people.

Inputs: matches.csv of the collection, the sizes of noise's errors. Outputs: the tables with one provenance. Params:
offset, coefficients.
"""

from pathlib import Path

from bgrating.entry import reporting
from bgrating.rating.choose import choose
from bgrating.tables.provenance import one_provenance, read_provenance
from bgrating.tables.tables import read_table, write_all
from study.people.tables import check

with reporting(snakemake.log[0]), one_provenance(Path(snakemake.output.provenance)):
    params = snakemake.params
    matches = Path(snakemake.input.matches)
    checked = check(
        read_table(matches),
        read_table(Path(snakemake.input.noise)),
        choose(params.coefficients, params.nets),
        params.offset,
        params.nets,
    )
    facts = {key: value for key, value in read_provenance(matches).items() if key not in ("rows", "sha256")}
    held = {"decided": checked.decided, "matches": checked.matches, "money": checked.money}
    write_all(checked.tables, Path(snakemake.output.tables[0]).parent, "people", **(facts | {"held": held}))
