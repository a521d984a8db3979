"""Fail where no match of a collection could be read, else print what was found.

Inputs: files.csv, matches.csv, players.csv, the page and the summary. Params: the collection, the pages asked for.
"""

from pathlib import Path

from bgrating.collection.settings import require_matches
from bgrating.entry import reporting
from bgrating.tables.tables import read_table

with reporting(snakemake.log[0]):
    require_matches(read_table(Path(snakemake.input.files)).to_dict("records"), snakemake.params.collection)
    print(Path(snakemake.input.summary).read_text(encoding="utf-8"), end="")
    for page in snakemake.params.pages:
        print(f"Page: {page}")
