# The tournament: a round robin of gnubg levels, rated by every system side by side. Needs:
# config/tournament.yaml, or --config match_length= levels= games_per_cell=. Matches are played,
# analysed and pooled as those of a study (rules/study.smk); the first shards of all cells come
# first. Makes: <results>/<nets>/tournament/<name>/tournament.csv, cells.csv, seats.csv, fit.json
# and outcomes.png with one provenance; report.html, summary.txt.
TOURNAMENT_TABLES = ["tournament.csv", "cells.csv", "seats.csv", "fit.json", "outcomes.png"]


rule tournament_tables:
    input:
        matches=f"{PLAYED}/tournament/{{tournament}}/matches.parquet",
        formulas=project_files(f"{KEPT}/formula.json"),
    output:
        tables=[f"{PLAYED}/tournament/{{tournament}}/{table}" for table in TOURNAMENT_TABLES],
        provenance=f"{PLAYED}/tournament/{{tournament}}/tournament_tables.provenance.json",
    log:
        f"{LOGS}/tournament_tables/{{tournament}}.log",
    conda:
        f"{ENVS}/pages.yml"
    params:
        code=code("tournament"),
    shell:
        job("tournament", "{input.matches:q} {output.provenance:q}")


rule tournament_report:
    input:
        rules.tournament_tables.output,
        templates=templates("tournament.html.j2", "tournament.txt.j2"),
    output:
        report=report(
            f"{PLAYED}/tournament/{{tournament}}/report.html",
            caption="../report/tournament.rst",
            category="Tournaments",
            labels={"tournament": "{tournament}"},
        ),
        summary=f"{PLAYED}/tournament/{{tournament}}/summary.txt",
    log:
        f"{LOGS}/tournament_report/{{tournament}}.log",
    conda:
        f"{ENVS}/pages.yml"
    params:
        code=code("folder_page", "study.tournament_page"),
    shell:
        job("folder_page", "tournament {output.report:q}")
