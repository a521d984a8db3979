# The tournament: a round robin of gnubg levels, rated by every system side by side.
# Needs: config/tournament.yaml, or --config match_length= levels= games_per_cell=. Its matches are played, analysed and
# pooled as those of a study (rules/study.smk); the first shards of all cells come first.
# Makes: <results>/<nets>/tournament/<name>/tournament.csv, cells.csv, seats.csv, diluted.csv, fit.json
# and outcomes.png with one provenance; report.html, summary.txt.
TOURNAMENT_STUDY = TOURNAMENT.design.study
TOURNAMENT_NAME = TOURNAMENT_STUDY.partition("/")[2]
TOURNAMENT_FOLDER = f"{PLAYED}/{TOURNAMENT_STUDY}"
TOURNAMENT_TABLES = ["tournament.csv", "cells.csv", "seats.csv", "diluted.csv", "fit.json", "outcomes.png"]


rule tournament_tables:
    input:
        matches=f"{PLAYED}/tournament/{{tournament}}/matches.parquet",
        formulas=list(map(str, own_formula(NETS))),
        published=project_files("results/published/coefficients.csv"),
        code=lambda w: modules("bgrating/tournament/tables"),
    output:
        tables=[f"{PLAYED}/tournament/{{tournament}}/{table}" for table in TOURNAMENT_TABLES],
        provenance=f"{PLAYED}/tournament/{{tournament}}/tournament_tables.provenance.json",
    params:
        step="rate",
        levels=lambda w: list(TOURNAMENTS[w.tournament].levels),
        match_length=lambda w: TOURNAMENTS[w.tournament].match_length,
        seed=lambda w: TOURNAMENTS[w.tournament].design.seed,
    script:
        "../scripts/tournament.py"


rule tournament_report:
    input:
        tables=expand(rules.tournament_tables.output.tables, tournament=TOURNAMENT_NAME),
        templates=templates("tournament.html.j2"),
        code=lambda w: modules("study/tournament_page"),
    output:
        report=report(f"{TOURNAMENT_FOLDER}/report.html", category="Tournaments"),
        summary=f"{TOURNAMENT_FOLDER}/summary.txt",
    params:
        about="tournament",
    script:
        "../scripts/page.py"


# How often the test of `decide` errs, and how many matches it takes: 2,000 simulated tournaments of each true difference.
rule decide_errors:
    input:
        matches="results/1.07.001/tournament/default/frozen/3.parquet",
        part1="results/1.07.001/part1/frozen/3.parquet",
        code=lambda w: modules("study/decision_errors"),
    output:
        table=f"{RESULTS}/1.07.001/tournament/default/decision_errors.csv",
        provenance=f"{RESULTS}/1.07.001/tournament/default/decision_errors.csv.provenance.json",
    params:
        step="decide",
        runs=2000,
    script:
        "../scripts/tournament.py"


# The same for money games. `money_games` plays and keeps those that are resampled; only its own name asks for it.
rule money_games:
    output:
        games=f"{RESULTS}/1.08/tournament/money/frozen/money_games.csv",
        provenance=f"{RESULTS}/1.08/tournament/money/frozen/money_games.csv.provenance.json",
    params:
        step="money_games",
        games=240,
    script:
        "../scripts/tournament.py"


rule decide_money:
    input:
        games=ancient("results/1.08/tournament/money/frozen/money_games.csv"),
        code=lambda w: modules("study/decision_errors"),
    output:
        table=f"{RESULTS}/1.08/tournament/money/decision_errors.csv",
        provenance=f"{RESULTS}/1.08/tournament/money/decision_errors.csv.provenance.json",
    params:
        step="decide_money",
        runs=2000,
    script:
        "../scripts/tournament.py"
