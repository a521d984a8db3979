# From backgammon errors to ratings. Each file in rules/ opens with what it needs and what it makes.
from snakemake.utils import min_version

min_version("9.0")


configfile: "config/config.yaml"


report: "report/workflow.rst"


include: "rules/common.smk"
include: "rules/play.smk"
include: "rules/analyse.smk"
include: "rules/gather.smk"
include: "rules/fit.smk"
include: "rules/report.smk"
include: "rules/comparison.smk"
include: "rules/targets.smk"
include: "rules/human.smk"
include: "rules/bench.smk"


onstart:
    announce_matches(workflow, logger)
