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


# The quick study is the default target, which an included file cannot set.
use rule smoke as quick with:
    default_target: True
    input:
        studied("quick"),
    log:
        f"{LOGS}/quick.log",
