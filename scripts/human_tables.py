"""Put the analyses of a collection together and write its tables and pages.

Settings: those of the collection. Inputs: the stores of all parts. Outputs: files.csv, matches.csv, players.csv,
decisions.parquet, the page and the answer. Params: where the store of all analyses stays.
"""

from dataclasses import replace
from pathlib import Path

from bgrating.collection.rate import rate, write_pages
from bgrating.collection.shards import asked_of, merge
from bgrating.entry import reporting

with reporting(snakemake.log[0]):
    store = Path(snakemake.params.store)
    merge([store, Path(snakemake.input.read), *map(Path, snakemake.input.parts)], store)
    result = rate(replace(asked_of(snakemake.config).request, store=store, cores=snakemake.threads))
    for page in write_pages(result):
        print(f"Page: {page}")
    for reason in result.undone:
        print(reason)
