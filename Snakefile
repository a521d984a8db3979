# From backgammon errors to ratings. Each file in rules/ opens with what it needs and what it makes.
from snakemake.utils import min_version

min_version("9.0")


configfile: "config/config.yaml"


include: "rules/common.smk"
include: "rules/study.smk"
include: "rules/law.smk"
include: "rules/collection.smk"
include: "rules/tournament.smk"
include: "rules/targets.smk"


onstart:
    require_one_seed()
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
        studied("quick"),
        summary=f"{PLAYED}/quick/summary.txt",
    localrule: True
    shell:
        "cat {input.summary:q} 2> {log:q}"


# Said once: the environment of all rules here, and their logs (this may be the module of another workflow, with rules of
# its own).
for each_rule in workflow.rules:
    if Path(str(each_rule.snakefile)).is_relative_to(PROJECT):
        each_rule.conda_env = str(PROJECT / "environment.yml")
        if not each_rule.log:
            each_rule.log_modifier = workflow.modifier.path_modifier
            each_rule.set_log(
                str(Path("logs", each_rule.name, *(f"{{{name}}}" for name in sorted(each_rule.wildcard_names)), "log"))
            )
