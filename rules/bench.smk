# Benchmarks.
# Needs: the engine, an otherwise idle machine, the tables of the statistics (they come with the repository).
# Makes: <results>/bench/bench.csv, ratios of the cost of whole runs to that of their engine processes, measured side by
# side, and of our errors to those of the method of 2003; made anew every time.


rule bench:
    log:
        "logs/bench.log",
    localrule: True
    params:
        table=f"{RESULTS}/bench/bench.csv",
        statistics=str(kept(NETS) / "statistics"),
    message:
        "measure whole runs beside their engine processes; this takes some minutes"
    script:
        "../scripts/bench.py"
