# What one can ask for by name, beside `coefficients`, `compare` and `human`, which make files of their own.
# Most print the summaries of what they ask for.


localrules:
    all,
    quick,
    smoke,
    study,
    refit,
    analysis,
    tournament,


# The quick study: what `snakemake` and `./run` do when nothing else is asked for.
rule quick:
    input:
        studied("quick"),
        summaries=f"{PLAYED}/quick/summary.txt",
    log:
        f"{LOGS}/quick.log",
    conda:
        "envs/engine.yml"
    shell:
        job("designs", "{input.summaries:q}") + " && cat {input.summaries:q}"


# The smallest study: everything once, in half a minute.
use rule quick as smoke with:
    input:
        studied("smoke"),
        summaries=f"{PLAYED}/smoke/summary.txt",
    log:
        f"{LOGS}/smoke.log",


# The published studies, or the one that part= names: from their frozen tables, or played where there are none.
use rule quick as study with:
    input:
        lambda w: studied(*asked("parts")),
        summaries=lambda w: expand(rules.report.output.summary, study=asked("parts")),
    log:
        f"{LOGS}/study.log",


# What follows from frozen tables alone, without playing: every coefficient, table and figure that the repository keeps;
# `analysis` makes the pages too.
rule refit:
    input:
        refitted,


use rule quick as analysis with:
    input:
        refitted,
        analysed,
        summaries=lambda w: [path for path in analysed(w) if path.endswith("summary.txt")],
    log:
        f"{LOGS}/analysis.log",


# From its frozen table, or played where there is none.
use rule quick as tournament with:
    input:
        tournament_files,
        summaries=lambda w: [path for path in tournament_files(w) if path.endswith("summary.txt")],
    log:
        f"{LOGS}/tournament.log",
