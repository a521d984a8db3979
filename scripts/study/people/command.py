"""The command `./run people`: the check of the formula on the people in match files."""

from pathlib import Path

import click

from bgrating.analysis.store import default_path
from bgrating.collection.rate import RateRequest, rate, write_pages
from bgrating.command import exit_on_signals
from bgrating.command.rate import Bar
from bgrating.command.rate import command as rate_command
from bgrating.engine.nets import committed_results
from bgrating.places import results_folder
from bgrating.rating.choose import choose
from bgrating.tables.folder import marked, writing
from bgrating.tables.provenance import one_provenance, write_atomic
from bgrating.tables.tables import write_all, write_text
from study.people.judge import SCALE_NETS
from study.people.page import people_page, summary
from study.people.tables import check

OPTIONS = ("paths", "level", "formula", "aliases", "offset", "engine", "results", "name", "cores")
"""What it takes as `rate` does."""
PROVENANCE = "people_tables.provenance.json"
KEPT = ("pr_gap", "few_matches", "limits")
FACTS = (
    "aliases", "analysis", "coefficients", "engine", "formula", "nets", "offset", "opening_evaluation",
)  # fmt: skip
"""What the provenance of kept tables says: nothing that names people or a place."""


@click.command(params=[option for option in rate_command.params if option.name in OPTIONS])
@click.option("--keep", is_flag=True, help="keep the tables beside the results of the engine's study")
def command(
    paths: tuple[Path, ...], level: str, formula: str, aliases: Path | None, offset: float, engine: str,
    results: Path | None, name: str, cores: int | None, keep: bool,
) -> int:  # fmt: skip
    """Rate everybody in match files, as `rate` does, then check the formula on their results."""
    exit_on_signals()
    request = RateRequest(
        paths, results_folder(results), name, level, formula=formula, aliases=aliases, offset=offset, engine=engine,
        store=default_path(), cores=cores or 0,
    )  # fmt: skip
    with Bar() as bar:
        rated = rate(request, bar)
        write_pages(rated, bar)
    for reason in rated.undone:
        click.echo(f"bgrating: {reason}", err=True)
    assert rated.folder, "a folder of results was asked for"
    nets, folder = rated.facts["nets"], rated.folder / "people"
    checked = check(rated.matches, choose(formula, nets, level), offset, nets)
    page, facts = folder / "people.html", rated.facts
    with writing(folder, bar.say, PROVENANCE) as new, one_provenance(new / PROVENANCE):
        write_all(checked.tables, new, "people", **facts)
        write_text(summary(checked, str(page)), new / "summary.txt", **facts)
        write_atomic(new / page.name, marked(people_page(rated.name, checked, facts), page.name))
    if keep:
        kept = committed_results(nets) / "people"
        kept.mkdir(exist_ok=True)
        # scale.csv there is made from frozen losses. Facts of the collection may name people and places.
        tables = {table: checked.tables[table] for table in (KEPT if nets == SCALE_NETS else KEPT[:1])}
        public = {fact: facts[fact] for fact in FACTS if fact in facts}
        public["collection"] = " and ".join(path.resolve().name for path in paths)
        public["held"] = {name: getattr(checked, name) for name in ("decided", "matches", "money")}
        with one_provenance(kept / PROVENANCE):
            write_all(tables, kept, "people", **public)
    click.echo(summary(checked, page.resolve().as_uri()), nl=False)
    return 1 if rated.undone else 0
