"""Draw the figures of the check on people and write its page and the lines that it prints.

Inputs: the tables of the check. Outputs: a folder of figures, people.html, summary.txt. Params: the collection's name.
"""

from pathlib import Path

from bgrating.entry import reporting
from bgrating.pages.style import save
from bgrating.tables.provenance import read_provenance, write_atomic
from study.people.figures import figures
from study.people.page import people_page, read_check, summary

with reporting(snakemake.log[0]):
    page = Path(snakemake.output.page)
    check = read_check(page.parent)
    drawn = save(figures(check.tables), Path(snakemake.output.figures))
    facts = read_provenance(Path(snakemake.input.tables[0]))
    write_atomic(page, people_page(snakemake.params.name, check, drawn, facts))
    write_atomic(Path(snakemake.output.summary), summary(check, str(page)))
