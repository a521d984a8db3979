# The tournament: a round robin of gnubg levels, rated by every system side by side.
# Needs: config/tournament.yaml, or --config match_length= levels= games_per_cell=. Its matches are played, analysed and
# pooled as those of a study (rules/play.smk, gather.smk), the neediest cell first.
# Makes: <results>/<nets>/tournament/<name>/tournament.csv, agreement.csv, differences.csv, cells.csv, seats.csv, diluted.csv,
# scores.csv, slopes.csv, bins.csv (measures of error as predictors), fit.json and outcomes.png with one provenance; examples,
# figures, report.html, summary.txt.
TOURNAMENT_STUDY = TOURNAMENT.design.study
TOURNAMENT_FOLDER = f"{PLAYED}/{TOURNAMENT_STUDY}"
TOURNAMENT_TABLES = [
    "tournament.csv",
    "agreement.csv",
    "differences.csv",
    "cells.csv",
    "seats.csv",
    "diluted.csv",
    "scores.csv",
    "slopes.csv",
    "bins.csv",
    "fit.json",
    "outcomes.png",
]


# A study's page has another content at the same place.
ruleorder: tournament_report > report


rule tournament_tables:
    input:
        matches=f"{TOURNAMENT_FOLDER}/matches.parquet",
        formulas=[str(file) for file in compared_files(NETS).values()],
        published=own("results/published/coefficients.csv"),
        code=lambda w: modules("tournament_tables"),
    output:
        tables=[f"{TOURNAMENT_FOLDER}/{table}" for table in TOURNAMENT_TABLES],
        provenance=f"{TOURNAMENT_FOLDER}/tournament_tables.provenance.json",
    log:
        f"logs/{TOURNAMENT_STUDY}/tables.log",
    params:
        levels=list(TOURNAMENT.levels),
        match_length=TOURNAMENT.match_length,
        seed=TOURNAMENT.design.seed,
    message:
        "rate the players of the tournament {TOURNAMENT.name}"
    script:
        "../scripts/tournament_tables.py"


rule tournament_examples:
    input:
        archives=tournament_archives,
    output:
        examples=directory(f"{TOURNAMENT_FOLDER}/examples"),
    log:
        f"logs/{TOURNAMENT_STUDY}/examples.log",
    localrule: True
    message:
        "keep a match of every pair"
    script:
        "../scripts/tournament_examples.py"


rule tournament_report:
    input:
        tables=rules.tournament_tables.output.tables,
        examples=lambda w: rules.tournament_examples.output.examples if tournament_archives(w) else [],
        templates=own("report/tournament.html.j2", *TEMPLATES),
        code=lambda w: modules("tournament_report"),
    output:
        figures=directory(f"{TOURNAMENT_FOLDER}/figures"),
        report=report(
            f"{TOURNAMENT_FOLDER}/report.html",
            caption="../report/tournament.rst",
            category="tournament",
            subcategory="Report",
        ),
        summary=f"{TOURNAMENT_FOLDER}/summary.txt",
    log:
        f"logs/{TOURNAMENT_STUDY}/report.log",
    message:
        "page of the tournament {TOURNAMENT.name}"
    script:
        "../scripts/tournament_report.py"


# Plays what is missing and no more, for a machine whose shards another one merges.
rule tournament_shards:
    input:
        lambda w: shard_tables(TOURNAMENT_STUDY, TOURNAMENT.match_length),
    log:
        f"logs/{TOURNAMENT_STUDY}/shards.log",
    localrule: True
    shell:
        "true 2> {log:q}"


# Plays what is missing, then rates.
rule tournament:
    input:
        f"{TOURNAMENT_FOLDER}/report.html",
        f"{TOURNAMENT_FOLDER}/examples",
        rules.tournament_tables.output.tables,
        summary=f"{TOURNAMENT_FOLDER}/summary.txt",
    log:
        f"logs/{TOURNAMENT_STUDY}/tournament.log",
    localrule: True
    shell:
        "cat {input.summary:q} 2> {log:q}"


# Rates again from the frozen table, without playing.
rule tournament_analysis:
    input:
        f"{TOURNAMENT_FOLDER}/report.html",
        rules.tournament_tables.output.tables,
        summary=f"{TOURNAMENT_FOLDER}/summary.txt",
    log:
        f"logs/{TOURNAMENT_STUDY}/analysis.log",
    localrule: True
    shell:
        "cat {input.summary:q} 2> {log:q}"


# Takes over what another machine has played of the same tournament: merge=DIR, its folder results/<nets>/tournament/<name>.
rule tournament_merge:
    log:
        f"logs/{TOURNAMENT_STUDY}/merge.log",
    localrule: True
    message:
        "merge the tournament {TOURNAMENT.name}"
    script:
        "../scripts/tournament_merge.py"


# How often the test of `decide` errs, and how many matches it takes: 2,000 simulated tournaments of each true difference.
rule decide_errors:
    input:
        matches="results/1.07.001/tournament/default/frozen/3.parquet",
        code=lambda w: modules("decide_errors"),
    output:
        table=f"{RESULTS}/1.07.001/tournament/default/decision_errors.csv",
        provenance=f"{RESULTS}/1.07.001/tournament/default/decision_errors.csv.provenance.json",
    log:
        "logs/tournament/decision_errors.log",
    params:
        runs=2000,
    message:
        "error rates of the sequential test"
    script:
        "../scripts/decide_errors.py"
