"""Gather the tables of a study's match lengths into one table of matches.

Inputs: the tables, one a match length. Outputs: the table (one row a match) and its provenance.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from bgrating.entry import reporting
from bgrating.match_table import gather

if TYPE_CHECKING:
    from snakemake.script import snakemake

with reporting(snakemake.log[0]):
    gather([Path(table) for table in snakemake.input.tables], Path(snakemake.output.table))
