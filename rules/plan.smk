# How many matches where, and where with luck analysis.
# Needs: matches of the study of cells (their variances), measured costs (results/statistics/costs.csv).
# Makes: on demand <results>/<nets>/plan/plan.csv and designs to play it from; `costs` measures anew what matches cost;
# `efficient` plays the planned study of config/designs/efficient-*.yaml and freezes its parts.


rule plan:
    input:
        matches=f"{PLAYED}/{CELLS}/matches.parquet",
        provenance=f"{PLAYED}/{CELLS}/matches.parquet.provenance.json",
        costs=planning,
    log:
        "logs/plan.log",
    localrule: True
    params:
        folder=f"{PLAYED}/plan",
        half_width=config.get("halfwidth"),
        hours=config.get("hours"),
        lengths=str(config.get("lengths", "")),
    message:
        "plan matches"
    script:
        "../scripts/plan.py"


rule costs:
    log:
        "logs/costs.log",
    localrule: True
    params:
        table=f"{PLAYED}/statistics/costs.csv",
        lengths=str(config.get("lengths", "")),
    message:
        "measure what matches cost; this takes some minutes"
    script:
        "../scripts/costs.py"


rule efficient:
    input:
        [
            shard_tables(study, length)
            for part, study in EFFICIENT.items()
            for length in STUDIES[study].match_lengths()
            if part != "plain"
        ],
        archives=[
            str(Path(table).with_suffix(".zip"))
            for length in STUDIES[EFFICIENT["plain"]].match_lengths()
            for table in shard_tables(EFFICIENT["plain"], length)
        ],
    log:
        "logs/efficient.log",
    localrule: True
    params:
        studies=list(EFFICIENT.values()),
        results=lambda w, input: str(Path(input.archives[0]).parents[4]),
    message:
        "the planned study, its parts {params.studies}"
    script:
        "../scripts/freeze.py"
