"""Fail where no match of a collection could be read, else print what was found.

Inputs: files.csv, matches.csv, players.csv, the page and the summary. Params: the collection, the player asked for.
"""

from pathlib import Path

from bgrating.collection.settings import player_pages, require_matches
from bgrating.entry import reporting
from bgrating.tables.csv_safety import shown, without_mark
from bgrating.tables.tables import read_table

with reporting(snakemake.log[0]):
    require_matches(read_table(Path(snakemake.input.files)).to_dict("records"), snakemake.params.collection)
    print(Path(snakemake.input.summary).read_text(encoding="utf-8"), end="")
    page = Path(snakemake.input.page)
    print(f"Page: {page}")
    if snakemake.params.player:
        asked, pages = snakemake.params.player, player_pages(read_table(Path(snakemake.input.players))["player"])
        name = next((name for name in (asked, shown(asked), without_mark(asked)) if name in pages), None)
        print(f"Page: {page.parent / pages[name]}" if name else f"{asked} is in the tables only")
