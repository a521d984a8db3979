# How many matches where, and where with luck analysis.
# Needs: matches of the study of cells (their variances), measured costs (results/statistics/costs.csv).
# Makes: on demand <results>/<nets>/plan/plan.csv and designs to play it from; `costs` measures anew what matches cost.
CELLS = "part2"  # the study of cells whose variances a plan starts from


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
