"""Keep the matches of a large collection, without names, as the field that players of small ones are shrunk towards.

Inputs: matches.csv. Params: where to write the field's matches.csv; their provenance stands beside them.
"""

from pathlib import Path

from bgrating.collection.players import field_matches
from bgrating.entry import reporting
from bgrating.tables.provenance import read_provenance
from bgrating.tables.tables import read_table, write_table

with reporting(snakemake.log[0]):
    matches, path = Path(snakemake.input.matches), Path(snakemake.params.table)
    facts = read_provenance(matches)
    field = field_matches(read_table(matches))
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = {name: facts[name] for name in ("collection", "analysis", "engine")}
    write_table(field, path, "field/matches", **kept, players=int(field["player"].nunique()))
    print(f"{len(field)} matches of {field['player'].nunique()} players: {path}")
