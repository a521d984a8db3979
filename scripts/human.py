"""Print what was found in a collection, and fail where no match of it could be read.

Inputs: files.csv, matches.csv, players.csv, the page and the summary. Params: the collection, the pages asked for.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from bgrating.collection.settings import require_matches
from bgrating.entry import reporting
from bgrating.tables import read_table

if TYPE_CHECKING:
    from snakemake.script import snakemake

with reporting(snakemake.log[0]):
    print(Path(snakemake.input.summary).read_text(encoding="utf-8"), end="")
    for page in snakemake.params.pages:
        print(f"Page: {page}")
    require_matches(read_table(Path(snakemake.input.files)).to_dict("records"), snakemake.params.collection)
