"""Draw a tournament's figure and write its page and summary.

Settings: those of `./run tournament`. Inputs: the tables and the folder of example matches, if there is one. Outputs: a
folder of figures, report.html, summary.txt.
"""

from pathlib import Path

from bgrating.entry import reporting
from bgrating.pages.style import save
from bgrating.tables.provenance import replace
from bgrating.tournament.design import tournament
from bgrating.tournament.page import figures, page, read_found, summary

with reporting(snakemake.log[0]):
    report = Path(snakemake.output.report)
    asked = tournament(snakemake.config)
    found = read_found(asked.name, asked.title, report.parent)
    drawn = save(figures(found, asked.match_length), Path(snakemake.output.figures))
    examples = sorted(path.name for path in (report.parent / "examples").glob("*.mat"))
    replace(report, page(found, [*drawn, report.parent / "outcomes.png"], examples))
    replace(Path(snakemake.output.summary), summary(found, str(report)))
