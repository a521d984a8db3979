# Gather matches.
# Needs: the tables of shards (rules/play.smk), or frozen tables.
# Makes: <results>/<nets>/<study>/matches.parquet, one row a match, and on demand <results>/<nets>/<study>/frozen/<N>.parquet,
# one match length, which the repository keeps.


rule matches:
    input:
        tables=match_tables,
        code=lambda w: modules("matches"),
    output:
        table=f"{PLAYED}/{{study}}/matches.parquet",
        provenance=f"{PLAYED}/{{study}}/matches.parquet.provenance.json",
    log:
        "logs/{study}/matches.log",
    message:
        "gather the matches of {wildcards.study}"
    script:
        "../scripts/matches.py"


# `freeze` takes the shards that are there, whatever is still to be played; what the frozen tables hold of others stays.
rule freeze:
    log:
        "logs/freeze.log",
    localrule: True
    params:
        # The tournament of the settings too, if any of its shards has been played.
        studies=PARTS + ([TOURNAMENT.design.study] if any(cell.held for cell in TOURNAMENT.design.points) else []),
        results=PLAYED,
    message:
        "freeze what has been played of {params.studies}"
    script:
        "../scripts/freeze.py"


# Plays what the frozen tables lack and freezes it: a long study goes on from the repository on any machine.
rule fill:
    input:
        lambda w: missing_tables(PARTS),
    log:
        "logs/fill.log",
    localrule: True
    params:
        studies=PARTS,
        results=PLAYED,
    message:
        "play what is missing of {params.studies}"
    script:
        "../scripts/freeze.py"
