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
    found = check(
        read_table(matches),
        read_table(Path(snakemake.input.noise)),
        choose(params.coefficients, params.nets),
        params.offset,
        params.nets,
    )
    facts = {key: value for key, value in read_provenance(matches).items() if key not in ("rows", "sha256")}
    held = {"decided": found.decided, "matches": found.matches, "money": found.money}
    write_all(found.tables, Path(snakemake.output.tables[0]).parent, "people", **(facts | {"held": held}))
