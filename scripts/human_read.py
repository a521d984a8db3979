"""Read a collection of match files and plan its analysis; no engine is started.

Settings: results. Outputs: readings.jsonl (one line per file) and plan.json; beside the plan, batches for contents that
are not analysed yet. Params: the collection, the folder of results, the analysis level.
"""

from pathlib import Path

from bgrating.collection.collection import make_plan, write_plan
from bgrating.engine import levels
from bgrating.entry import reporting

with reporting(snakemake.log[0]):
    plan_file = Path(snakemake.output.plan)
    plan = make_plan(
        snakemake.params.collection,
        Path(snakemake.output.readings),
        Path(snakemake.params.leave_out),
        levels.analysis(snakemake.params.level),
        plan_file.parent / "batches",
    )
    write_plan(plan, plan_file)
    print(
        f"{plan.files} files, {plan.files_read} read anew; {plan.contents} matches, {plan.new_contents} to be analysed"
    )
