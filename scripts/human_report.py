"""Write the page of a collection, and of one player where one is named.

Inputs: files.csv, matches.csv, players.csv and their provenance. Outputs: report.html and, with a player, their page.
Params: the collection's name, offset, coefficients, the player (or an empty string).
"""

from pathlib import Path
from typing import TYPE_CHECKING

from bgrating.entry import reporting
from bgrating.human.formulas import choose
from bgrating.human.page import Collection, collection_page, player_page, read_table
from bgrating.provenance import read_provenance, replace

if TYPE_CHECKING:
    from snakemake.script import snakemake

with reporting(snakemake.log[0]):
    params = snakemake.params
    players = Path(snakemake.input.players)
    collection = Collection(
        name=params.name,
        files=read_table(Path(snakemake.input.files)),
        matches=read_table(Path(snakemake.input.matches)),
        players=read_table(players),
        chosen=choose(params.coefficients, params.level),
        offset=params.offset,
        provenance=read_provenance(players),
    )
    if params.player:
        replace(Path(snakemake.output.page), player_page(collection, params.player))
    else:
        replace(Path(snakemake.output.page), collection_page(collection))
