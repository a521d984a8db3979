# Gather matches.
# Needs: the tables of shards (rules/analyse.smk).
# Makes: <results>/<study>/frozen/<N>.parquet, one row a match, and <results>/<study>/matches.parquet, all lengths.
#
# `frozen` names no code as input: a clone holds frozen tables but not the shards they came from, and a file date must
# not make it play them again.


rule frozen:
    input:
        tables=lambda w: shard_tables(w.study, int(w.match_length)),
    output:
        table=f"{RESULTS}/{{study}}/frozen/{{match_length}}.parquet",
        provenance=f"{RESULTS}/{{study}}/frozen/{{match_length}}.parquet.provenance.json",
    log:
        "logs/{study}/frozen-{match_length}.log",
    conda:
        "../environment.yml"
    message:
        "freeze {wildcards.study}: matches to {wildcards.match_length}"
    script:
        "../scripts/frozen.py"


rule matches:
    input:
        tables=lambda w: [f"{RESULTS}/{w.study}/frozen/{n}.parquet" for n in STUDIES[w.study].match_lengths()],
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
    params:
        studies=PARTS,
        results=RESULTS,
    log:
        "logs/freeze.log",
    conda:
        "../environment.yml"
    message:
        "freeze what has been played of {params.studies}"
    script:
        "../scripts/freeze.py"
