# From backgammon errors to ratings. Each file in rules/ opens with what it needs and what it makes.
from snakemake.utils import min_version

min_version("9.0")


configfile: "config/config.yaml"


include: "rules/common.smk"
include: "rules/study.smk"
include: "rules/formula.smk"
include: "rules/tournament.smk"
include: "rules/collection.smk"
include: "rules/targets.smk"


onstart:
    require_environment()


# What is made when nothing is asked for: the quick study. It ends by printing the formula that it found.
use rule quick as all with:
    default_target: True
    log:
        f"{LOGS}/all.log",
    conda:
        "rules/envs/engine.yml"
