"""Keep the first match of every pair of a tournament.

Inputs: the first archive of every cell. Outputs: a folder of .mat files.
"""

from pathlib import Path

from bgrating.entry import reporting
from bgrating.tournament.played import keep_examples

with reporting(snakemake.log[0]):
    archives = [Path(archive) for archive in snakemake.input.archives]
    keep_examples({archive.parent.name: archive for archive in archives}, Path(snakemake.output.examples))
