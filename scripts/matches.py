"""Gather a study's matches into one table.

Settings: nets. Inputs: the tables of its shards, or the frozen tables of its match lengths. Outputs: the table (one row
a match) and its provenance.
"""

import tempfile
from pathlib import Path

from bgrating.entry import reporting
from bgrating.tournament.design import study_design
from study.pooling import gather, pool_lengths

with reporting(snakemake.log[0]), tempfile.TemporaryDirectory(prefix="bgrating-") as place:
    tables, nets = [Path(table) for table in snakemake.input.tables], snakemake.config["nets"]
    if all(table.suffix == ".csv" for table in tables):
        design = study_design(snakemake.wildcards.study, snakemake.config)
        tables = pool_lengths(design, tables, Path(place))
    gather(tables, Path(snakemake.output.table), nets)
