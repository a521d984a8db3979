# From backgammon errors to ratings. Each file in rules/ opens with what it needs and what it makes.
from snakemake.utils import min_version

min_version("9.0")


configfile: "config/config.yaml"


report: "report/workflow.rst"


include: "rules/common.smk"
include: "rules/play.smk"
include: "rules/gather.smk"
include: "rules/fit.smk"
include: "rules/report.smk"
include: "rules/comparison.smk"
include: "rules/law.smk"
include: "rules/plan.smk"
include: "rules/targets.smk"
include: "rules/human.smk"
include: "rules/people.smk"
include: "rules/tournament.smk"
include: "rules/bench.smk"
include: "rules/translation.smk"


onstart:
    require_engine()


# Whatever was made, the first page of the results says what is there.
onsuccess:
    from bgrating.index import write_index

    write_index(Path(RESULTS))


# The quick study: what `snakemake` and `./run` do when nothing else is asked for. It ends by printing the formula that
# it found, and where the report is. (A default target in an included file would not count.)
rule quick:
    default_target: True
    input:
        expand(rules.fit.output, study="quick"),
        f"{PLAYED}/quick/report.html",
        summaries=f"{PLAYED}/quick/summary.txt",
    log:
        "logs/quick.log",
    localrule: True
    shell:
        "cat {input.summaries:q} 2> {log:q}"


# Said once: the environment of all rules here (this may be the module of another workflow, with rules of its own).
for one in workflow.rules:
    if Path(str(one.snakefile)).is_relative_to(PROJECT):
        one.conda_env = str(PROJECT / "environment.yml")
