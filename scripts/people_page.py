"""Draw the figures of the check on people and write its page and the lines that it prints.

Inputs: the tables of the check and of the collection. Outputs: a folder of figures, people.html,
summary.txt. Params: the collection and its name, offset, coefficients.
"""

from pathlib import Path

from bgrating.collection.page import Collection
from bgrating.collection.rate import require_matches
from bgrating.entry import reporting
from bgrating.pages.style import save
from bgrating.rating.choose import choose
from bgrating.tables.provenance import read_provenance, replace
from bgrating.tables.tables import read_table
from study.people.figures import figures
from study.people.page import people_page, read_check, summary

with reporting(snakemake.log[0]):
    page = Path(snakemake.output.page)
    files, matches, players = (read_table(Path(snakemake.input[name])) for name in ("files", "matches", "players"))
    require_matches(files, [snakemake.params.collection])
    found = read_check(page.parent)
    drawn = save(figures(found.tables), Path(snakemake.output.figures))
    collection = Collection(
        snakemake.params.name,
        files,
        matches,
        players,
        chosen=choose(snakemake.params.coefficients, snakemake.params.nets),
        offset=snakemake.params.offset,
        provenance=read_provenance(Path(snakemake.input.tables[0])),
    )
    replace(page, people_page(collection, found, drawn))
    replace(Path(snakemake.output.summary), summary(found, str(page)))
