# From backgammon errors to ratings. Each file in rules/ starts with its needs and what it makes.
import os

from snakemake.utils import min_version

min_version("9.0")


if os.path.exists("config/config.yaml"):  # elsewhere the defaults of the project count

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
