"""Write the site of a collection: its page, and one for every player and match.

Inputs: files.csv, matches.csv, players.csv and their provenance, decisions.parquet. Outputs: report.html and the
folders players, matches and downloads. Params: the collection's name, offset, coefficients, the player whose page is
asked for (or an empty string).
"""

from pathlib import Path

from bgrating.collection.page import Collection, known_player
from bgrating.collection.site import write_site
from bgrating.entry import reporting
from bgrating.rating.choose import choose
from bgrating.tables.provenance import read_provenance
from bgrating.tables.tables import read_table

with reporting(snakemake.log[0]):
    params = snakemake.params
    players = Path(snakemake.input.players)
    collection = Collection(
        name=params.name,
        files=read_table(Path(snakemake.input.files)),
        matches=read_table(Path(snakemake.input.matches)),
        players=read_table(players),
        chosen=choose(params.coefficients, params.nets, params.level),
        offset=params.offset,
        provenance=read_provenance(players),
    )
    if params.player:
        known_player(collection, params.player)
    write_site(collection, Path(snakemake.input.decisions), Path(snakemake.output.page).parent)
