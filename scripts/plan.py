"""Plan how many matches to play where, and print the plan beside what the published design gives for the same CPU.

Inputs: matches of the study of cells, measured costs. Params: the wanted half-width or a budget of core-hours, match
lengths (empty: all that are there), the folder for plan.csv and the designs.
"""

from pathlib import Path

from bgrating.entry import reporting
from bgrating.play.matches import read_checked
from bgrating.tables.provenance import replace
from bgrating.tables.tables import inherited, read_table, write_table
from study.plan import asked_lengths, one_wish
from study.plan.report import described, design_texts, make_plan

NAME, SEED = "planned", 20060

with reporting(snakemake.log[0]):
    params, matches = snakemake.params, Path(snakemake.input.matches)
    one_wish(params.half_width, params.hours)
    lengths = asked_lengths(params.lengths)
    plan = make_plan(
        read_checked(matches), read_table(Path(snakemake.input.costs)), params.half_width, params.hours, lengths
    )
    folder = Path(params.folder)
    folder.mkdir(parents=True, exist_ok=True)
    write_table(
        plan,
        folder / "plan.csv",
        "statistics/plan",
        **inherited(matches),
        half_width=params.half_width,
        hours=params.hours,
    )
    for name, text in design_texts(plan, NAME, SEED).items():
        replace(folder / f"{name}.yaml", text)
    print(described(plan, folder), end="")
