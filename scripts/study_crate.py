"""Pack a study's results as a Workflow Run RO-Crate.

Settings: results. Inputs: the frozen tables of the study's matches, and what was made of them. Outputs: crate.zip.
"""

from pathlib import Path

from bgrating.entry import reporting
from bgrating.play import designs
from study.crate import write_crate

with reporting(snakemake.log[0]):
    write_crate(
        designs.design(snakemake.wildcards.study),
        [Path(table) for table in snakemake.input.matches],
        [Path(file) for file in snakemake.input.made],
        Path(snakemake.config["results"]),
        Path(snakemake.output.archive),
    )
