"""Analyse the matches of the design people-noise error by error.

Settings: engine, nets, time_limit_minutes. Inputs: the archives of the design's points. Outputs: the table of
error sizes and its provenance.
"""

from pathlib import Path

from bgrating.engine.locate import engine_of
from bgrating.entry import reporting
from bgrating.play import designs
from bgrating.play.shards import limits_of
from bgrating.tables.tables import write_table
from study.people.noise import noise_table

with reporting(snakemake.log[0]):
    design = designs.design(snakemake.params.study)
    table, facts = noise_table(
        engine_of(snakemake.config),
        design,
        [Path(archive) for archive in snakemake.input.archives],
        limits_of(snakemake.config, snakemake.log[0]),
    )
    write_table(
        table, Path(snakemake.output.table), "people/error_sizes", **facts, study=design.study, analysis=design.analysis
    )
