"""Set the methods on one scale, make the league table, draw the figures and write the page of the ratings.

Inputs: games.csv, the tables of the methods, flagged.csv and the plan. Outputs: methods.csv, agreement.csv and
league.csv with one provenance, a folder of figures, report.html, summary.txt. Params: the players to show, or none.
"""

from pathlib import Path

from bgrating.entry import reporting
from bgrating.league.compare import agreement
from bgrating.league.page import compared, draw, league_table, page, read_ratings, summary
from bgrating.league.plan import read_plan
from bgrating.pages.style import save
from bgrating.tables.provenance import one_provenance, replace
from bgrating.tables.tables import write_all

with reporting(snakemake.log[0]), one_provenance(Path(snakemake.output.provenance)):
    report = Path(snakemake.output.report)
    found = read_ratings(report.parent.name, report.parent, read_plan(Path(snakemake.input.plan)))
    both, standing = compared(found), league_table(found)
    made = {"methods": both, "agreement": agreement(both), "league": standing}
    write_all(made, report.parent, "ratings", **found.plan.facts)
    drawn = save(draw(found, both, tuple(snakemake.params.subset)), Path(snakemake.output.figures))
    outcomes = [Path(table) for table in snakemake.input.tables if table.endswith(".png")]
    replace(report, page(found, both, standing, drawn + outcomes))
    replace(Path(snakemake.output.summary), summary(found, both, str(report)))
