"""Count how often the intervals of the law hold the slope at small mismatch.

Inputs: matches of the studies that the law is fitted to. Outputs: coverage.csv and its provenance. Params: the nets.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from bgrating.comparison.sources import Played
from bgrating.entry import reporting
from bgrating.law import COVERAGE_SEED, COVERAGE_STUDIES, LIMIT
from bgrating.law.formula import coverage, law_points
from bgrating.law.tables import studies_of
from bgrating.provenance import read_provenance
from bgrating.study.matches import read_checked
from bgrating.tables import write_table

if TYPE_CHECKING:
    from snakemake.script import snakemake

with reporting(snakemake.log[0]):
    paths = [Path(path) for path in snakemake.input.matches]
    played: list[Played] = studies_of({path.parent.name: read_checked(path) for path in paths})
    write_table(
        coverage(law_points(played), LIMIT, COVERAGE_STUDIES, COVERAGE_SEED),
        Path(snakemake.output.table),
        "law/coverage",
        studies={path.parent.name: read_provenance(path) for path in paths},
        nets=snakemake.params.nets,
    )
