# Benchmarks.
# Needs: the engine, an otherwise idle machine.
# Makes: <results>/bench/bench.csv, ratios of our cost to bare gnubg's, measured side by side; made anew every time.


rule bench:
    log:
        "logs/bench.log",
    localrule: True
    conda:
        "../environment.yml"
    params:
        table=f"{RESULTS}/bench/bench.csv",
    message:
        "measure our cost beside bare gnubg's; this takes some minutes"
    script:
        "../scripts/bench.py"
