"""Plan how many matches to play where, beside what the published design gives for the same CPU; or measure the costs.

Inputs: matches of a study of cells, measured costs. Params: the wanted half-width or a budget of core-hours; match
lengths; the folder for the plan and its design. No match length means all at hand, or those of the published study.
Without inputs, Settings: engine; Params: where the table of costs goes.
"""

import tempfile
from pathlib import Path

from bgrating.engine.locate import engine_of
from bgrating.entry import reporting
from bgrating.play.matches import read_checked
from bgrating.tables.provenance import write_atomic
from bgrating.tables.tables import inherited, read_table, write_table
from study.plan import asked_lengths, require_one_of
from study.plan.allocation import costs, described, design_text, make_plan

NAME, SEED = "planned", 20060
LENGTHS = (1, 3, 5, 7, 11, 23)


def plan(matches: Path, folder: Path, half_width: float | None, hours: float | None) -> None:
    require_one_of(half_width, hours)
    lengths = asked_lengths(snakemake.params.lengths)
    table = make_plan(read_checked(matches), read_table(Path(snakemake.input.costs)), half_width, hours, lengths)
    folder.mkdir(parents=True, exist_ok=True)
    about = {**inherited(matches), "half_width": half_width, "hours": hours}
    write_table(table, folder / "plan.csv", "statistics/plan", **about)
    write_atomic(folder / f"{NAME}.yaml", design_text(table, NAME, SEED))
    print(described(table, folder), end="")


def measure(path: Path, place: Path) -> None:
    table = costs(engine_of(snakemake.config), place, asked_lengths(snakemake.params.lengths) or LENGTHS)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_table(table, path, "statistics/costs", measured="CPU seconds of the engine's processes, user and system")
    print(table.groupby(["match_length", "task"])["cpu_per_match"].median().to_string())


with reporting(snakemake.log[0]), tempfile.TemporaryDirectory(prefix="bgrating-costs-") as given:
    if snakemake.input:
        params = snakemake.params
        plan(Path(snakemake.input.matches), Path(params.folder), params.half_width, params.hours)
    else:
        measure(Path(snakemake.params.table), Path(given))
