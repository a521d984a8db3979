"""Read a part of a collection of match files and have it analysed, put the parts together, or keep its field.

Settings: those of the collection. What each rule reads and writes: rules/collection.smk.
"""

from dataclasses import replace
from pathlib import Path

from bgrating.collection.shards import analyse_part, asked_of, merge
from bgrating.entry import reporting

with reporting(snakemake.log[0]):
    given, made, params = snakemake.input, snakemake.output, snakemake.params
    match snakemake.params.step:
        case "analyse":
            part, before = int(snakemake.wildcards.part), Path(params.before)
            new, failed = analyse_part(asked_of(snakemake.config), part, params.parts, before, Path(made.store))
            print(f"part {part}: {new} matches analysed" + (f", {failed} to be tried again" if failed else ""))
        case "rate":
            from bgrating.collection.rate import rate, write_pages

            store = Path(params.store)
            merge([store, *map(Path, given.parts)], store)
            request = asked_of(snakemake.config).request
            result = rate(replace(request, store=store, cores=snakemake.threads, check="shown"))
            for line in [*(f"Page: {page}" for page in write_pages(result)), *result.undone]:
                print(line)
        case "field":
            from bgrating.people.players import field_matches
            from bgrating.tables.provenance import read_provenance
            from bgrating.tables.tables import read_table, write_table

            matches, path = Path(given.matches), Path(params.table)
            field, facts = field_matches(read_table(matches)), read_provenance(matches)
            path.parent.mkdir(parents=True, exist_ok=True)
            kept = {name: facts[name] for name in ("collection", "analysis", "engine")}
            write_table(field, path, "field/matches", **kept, players=int(field["player"].nunique()))
            print(f"{len(field)} matches of {field['player'].nunique()} players: {path}")
