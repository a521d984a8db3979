"""Draw a tournament's figure and write its page and summary.

Settings: those of `./run tournament`. Inputs: the tables and the folder of example matches, if there is one. Outputs: a
folder of figures, report.html, summary.txt.
"""

from pathlib import Path

from bgrating.entry import reporting
from bgrating.people.figures import prediction
from bgrating.provenance import replace
from bgrating.report.style import save
from bgrating.tournament.design import tournament
from bgrating.tournament.page import page, ratings, read_found, summary

with reporting(snakemake.log[0]):
    report, folder = Path(snakemake.output.report), Path(snakemake.output.figures)
    asked = tournament(snakemake.config)
    found = read_found(asked.name, asked.title, report.parent)
    folder.mkdir(parents=True, exist_ok=True)
    if len(found.tables["bins"]):
        save(prediction(found.tables["bins"]), folder, "prediction")
    save(ratings(found.tables["tournament"], found.tables["differences"], asked.match_length), folder, "ratings")
    examples = sorted(path.name for path in (report.parent / "examples").glob("*.mat"))
    replace(report, page(found, folder, report.parent / "outcomes.png", examples))
    replace(Path(snakemake.output.summary), summary(found, str(report)))
