"""Read folders of match files as one collection and plan its analysis; no engine is started.

Outputs: readings.jsonl (one line a file) and plan.json; beside them links to the folders, and batches for contents that
are not analysed yet. Params: the folders, the analysis level.
"""

from pathlib import Path

from bgrating.collection.collection import write_plan
from bgrating.engine import levels
from bgrating.entry import reporting
from study.translation.gather import plan_of_collections

with reporting(snakemake.log[0]):
    plan_file = Path(snakemake.output.plan)
    folders = [Path(folder) for folder in snakemake.params.collections]
    plan = plan_of_collections(folders, plan_file.parent, levels.analysis(snakemake.params.level))
    write_plan(plan, plan_file)
    print(f"{plan.files} files; {plan.contents} matches, {plan.new_contents} to be analysed by both engines")
