# From backgammon errors to ratings. Each file in rules/ starts with its inputs (needs) and outputs
# (makes).
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


# The default target: the quick study. At the end it prints the formula that it found.
use rule quick as all with:
    default_target: True
    log:
        f"{LOGS}/all.log",
    conda:
        packages("engine")
