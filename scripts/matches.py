"""Gather a study's matches into one table, or freeze what has been played.

Settings: nets. Inputs: the tables of its shards, or the frozen tables of its match lengths. Outputs: the table (one row
a match) and its provenance. Without outputs, Params: studies whose shards are pooled into frozen tables, one for each
match length; the folder of results. A frozen table says in its provenance how many of its planned matches it holds. One
that holds more than the shards at hand (it came with the repository, they did not) is left alone.
"""

from collections.abc import Iterable
from pathlib import Path

from bgrating.entry import reporting
from bgrating.tournament.design import study_design
from study.pooling import freeze_what_is_there, gather, gather_shards


def gathered(tables: list[Path], table: Path, nets: str) -> None:
    if all(part.suffix == ".csv" for part in tables):
        gather_shards(study_design(snakemake.wildcards.study, snakemake.config), tables, table, nets)
    else:
        gather(tables, table, nets)


def frozen(studies: Iterable[str], results: Path) -> None:
    for study in studies:
        design = study_design(study, snakemake.config)
        for line in freeze_what_is_there(design, results):
            print(line)


with reporting(snakemake.log[0]):
    if snakemake.output:
        parts = [Path(part) for part in snakemake.input.tables]
        gathered(parts, Path(snakemake.output.table), snakemake.config["nets"])
    else:
        frozen(snakemake.params.studies, Path(snakemake.params.results))
