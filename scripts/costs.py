"""Measure what playing and analysing matches costs, and write the table that plans go by.

Settings: engine. Params: where to write the table, match lengths (empty: those of the published study).
"""

import tempfile
from pathlib import Path

from bgrating.engine.choice import engine_of
from bgrating.entry import reporting
from bgrating.tables.tables import write_table
from study.plan import asked_lengths
from study.plan.costs import costs

LENGTHS = (1, 3, 5, 7, 11, 23)

with reporting(snakemake.log[0]), tempfile.TemporaryDirectory(prefix="bgrating-costs-") as folder:
    table = costs(engine_of(snakemake.config), Path(folder), asked_lengths(snakemake.params.lengths) or LENGTHS)
    path = Path(snakemake.params.table)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_table(table, path, "statistics/costs", measured="CPU seconds of the engine's processes, user and system")
    print(table.groupby(["match_length", "task"])["cpu_per_match"].median().to_string())
