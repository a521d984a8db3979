# Targets without output files; most print summaries. `coefficients` and `human` are targets too.


# The smallest study: every step, in half a minute.
rule smoke:
    input:
        studied("smoke"),
    log:
        f"{LOGS}/smoke.log",
    localrule: True
    conda:
        f"{ENVS}/engine.yml"
    shell:
        job("compare_design", "{input:q}") + " && cat {log:q}"


# The published studies, or the study part=: from frozen tables where they exist, else played.
use rule smoke as study with:
    input:
        lambda w: studied(*setting("chosen_studies")),
    log:
        f"{LOGS}/study.log",


# Every coefficient, table and figure of the repository that frozen tables determine, without
# playing; `analysis` makes the pages too.
rule refit:
    input:
        refitted,
    localrule: True


use rule smoke as analysis with:
    input:
        refitted,
        lambda w: studied(*setting("frozen_studies")),
    log:
        f"{LOGS}/analysis.log",


# From the frozen table if it exists, else played.
use rule smoke as tournament with:
    input:
        rated,
    log:
        f"{LOGS}/tournament.log",


# What was played of the study part= into one permanent table per match length, for the repository.
rule freeze:
    input:
        played_tables,
    log:
        f"{LOGS}/freeze.log",
    conda:
        f"{ENVS}/statistics.yml"
    params:
        study=lambda w: setting("chosen_studies")[0],
    shell:
        job("freeze", "{params.study:q} {input:q}") + " && cat {log:q}"


# Makes and plays again what the repository keeps, and compares, in minutes. Its log is the report.
rule verify:
    log:
        f"{LOGS}/verify.log",
    conda:
        f"{ENVS}/../../environment.yml"
    threads: workflow.cores
    shell:
        job("verify_results", "{threads}") + " && cat {log:q}"


# Every interval and every chance that users read, against known truth, in some half an hour.
rule calibration:
    output:
        table=f"{RESULTS}/calibration/calibration.csv",
        record=f"{RESULTS}/calibration/calibration.csv.provenance.json",
    log:
        f"{LOGS}/calibration.log",
    conda:
        f"{ENVS}/pages.yml"
    params:
        figures=ANALYSIS,
    shell:
        job("calibration", "{output.table:q}")
