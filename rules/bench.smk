# Benchmarks.
# Needs: the engine, an otherwise idle machine.
# Makes: <results>/bench/bench.csv, ratios of the cost of whole runs to that of their engine processes, measured side by
# side; made anew every time.


rule bench:
    log:
        "logs/bench.log",
    localrule: True
    params:
        table=f"{RESULTS}/bench/bench.csv",
    message:
        "measure whole runs beside their engine processes; this takes some minutes"
    script:
        "../scripts/bench.py"
