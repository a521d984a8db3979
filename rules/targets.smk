# The targets without output files; `coefficients` and `human` are targets too.
# Most print the summaries of their inputs.


localrules:
    all,
    quick,
    smoke,
    study,
    refit,
    analysis,
    tournament,


# The quick study: the default target of `snakemake` and `./run`.
rule quick:
    input:
        studied("quick"),
        summaries=f"{PLAYED}/quick/summary.txt",
    log:
        f"{LOGS}/quick.log",
    conda:
        packages("engine")
    shell:
        job("designs", "{input.summaries:q}") + " && cat {input.summaries:q}"


# The smallest study: every step, in half a minute.
use rule quick as smoke with:
    input:
        studied("smoke"),
        summaries=f"{PLAYED}/smoke/summary.txt",
    log:
        f"{LOGS}/smoke.log",


# The published studies, or the study part=: from frozen tables where they exist, else played.
use rule quick as study with:
    input:
        lambda w: studied(*setting("parts")),
        summaries=lambda w: expand(rules.report.output.summary, study=setting("parts")),
    log:
        f"{LOGS}/study.log",


# Every coefficient, table and figure of the repository that frozen tables determine, without
# playing; `analysis` makes the pages too.
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


# From the frozen table if it exists, else played.
use rule quick as tournament with:
    input:
        tournament_files,
        summaries=lambda w: [path for path in tournament_files(w) if path.endswith("summary.txt")],
    log:
        f"{LOGS}/tournament.log",


# Every interval and every chance that users read, against known truth: at most half an hour.
rule calibration:
    output:
        table=f"{RESULTS}/calibration/calibration.csv",
        record=f"{RESULTS}/calibration/calibration.csv.provenance.json",
    log:
        f"{LOGS}/calibration.log",
    conda:
        "envs/pages.yml"
    params:
        figures=ANALYSIS,
    shell:
        job("calibration", "{output.table:q}")
