"""The command `./run people`: check the formula on the people in match files."""

from pathlib import Path
from typing import Any

import click
import pandas as pd

from bgrating.analysis.store import default_path
from bgrating.collection.rate_request import RateRequest
from bgrating.collection.rating_run import rate
from bgrating.command.rate import Bar
from bgrating.command.rate import command as rate_command
from bgrating.pages.template import records
from bgrating.places import results_folder
from bgrating.rating.choose import choose
from bgrating.tables.folder import writing
from bgrating.tables.provenance import one_provenance
from bgrating.tables.table_files import write_all, write_text
from study.pages import interval
from study.people.factor import LEAST, factor, per_pr

# The options of `rate` that it takes.
OPTIONS = ("paths", "level", "formula", "aliases", "offset", "engine", "results", "name", "cores")
PROVENANCE = "people_tables.provenance.json"


@click.command(params=[option for option in rate_command.params if option.name in OPTIONS])
def command(
    paths: tuple[Path, ...], results: Path | None, cores: int | None, **settings: Any
) -> int:
    """Rate everybody in match files, as `rate` does, then check the formula on their results."""
    request = RateRequest(
        paths, results_folder(results), store=default_path(), cores=cores or 0, **settings
    )
    with Bar() as bar:
        result = rate(request, bar)
    for reason in result.failed_here:
        click.echo(f"bgrating: {reason}", err=True)
    assert result.folder, "a folder of results was asked for"
    folder = result.folder / "people"
    sides = result.matches.assign(group=result.name)
    formula = choose(request.formula, result.facts["nets"], request.level).formula
    table = factor(sides, formula)
    text = summary(table)
    with writing(folder, bar.say, PROVENANCE) as new, one_provenance(new / PROVENANCE):
        write_all(
            {"factor": table, "per_pr": per_pr(sides, formula)}, new, "people", **result.facts
        )
        write_text(text, new / "summary.txt", **result.facts)
    click.echo(text, nl=False)
    return 1 if result.failed_here else 0


def summary(table: pd.DataFrame) -> str:
    """Return a sentence on the cost of people's errors, or on what the collection lacks."""
    if table.empty:
        return (
            f"What errors cost: this collection has fewer than {LEAST} decided matches with a luck"
            " analysis.\n"
        )
    row = records(table)[0]
    return (
        f"The errors of {row['n_players']:,.0f} people in {row['n_matches']:,.0f} matches cost "
        f"{interval(row, 'estimate', 2, 'ci')} times what the formula gives.\n"
    )
