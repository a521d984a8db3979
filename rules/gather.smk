# Gather matches.
# Needs: the tables of shards (rules/analyse.smk), or frozen tables.
# Makes: <results>/<study>/pooled/<N>.parquet, one row a match of one match length, <results>/<study>/matches.parquet, all
# lengths, and on demand <results>/<study>/frozen/<N>.parquet, which the repository keeps.


rule pooled:
    input:
        tables=lambda w: shard_tables(w.study, int(w.match_length)),
    output:
        table=f"{RESULTS}/{{study}}/pooled/{{match_length}}.parquet",
        provenance=f"{RESULTS}/{{study}}/pooled/{{match_length}}.parquet.provenance.json",
    log:
        "logs/{study}/pooled-{match_length}.log",
    conda:
        "../environment.yml"
    message:
        "pool {wildcards.study}: matches to {wildcards.match_length}"
    script:
        "../scripts/pooled.py"


rule matches:
    input:
        tables=length_tables,
        code="scripts/bgrating/match_table.py",
    output:
        table=f"{RESULTS}/{{study}}/matches.parquet",
        provenance=f"{RESULTS}/{{study}}/matches.parquet.provenance.json",
    log:
        "logs/{study}/matches.log",
    conda:
        "../environment.yml"
    message:
        "gather the matches of {wildcards.study}"
    script:
        "../scripts/matches.py"


# `freeze` takes the shards that are there, whatever is still to be played: the analysis then uses what they hold.
rule freeze:
    log:
        "logs/freeze.log",
    localrule: True
    conda:
        "../environment.yml"
    params:
        # The tournament of the settings too, if any of its shards has been played.
        studies=PARTS + ([TOURNAMENT.design.study] if any(cell.held for cell in TOURNAMENT.design.points) else []),
        results=RESULTS,
    message:
        "freeze what has been played of {params.studies}"
    script:
        "../scripts/freeze.py"
