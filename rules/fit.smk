# Reduce matches to design points and fit rating formulas to them.
# Needs: <results>/<nets>/<study>/matches.parquet and its provenance.
# Makes: <results>/<nets>/<study>/points.csv, coefficients.csv and formula.json, with one provenance.
# Resampling is for the study whose efficiency is reported (rules/statistics.smk); its fits are a hundred times the work.
FIT_BOOTSTRAP = 400


rule fit:
    input:
        matches=rules.matches.output.table,
        provenance=rules.matches.output.provenance,
        code=lambda w: modules("fit"),
    output:
        points=f"{PLAYED}/{{study}}/points.csv",
        coefficients=f"{PLAYED}/{{study}}/coefficients.csv",
        formula=f"{PLAYED}/{{study}}/formula.json",
        provenance=f"{PLAYED}/{{study}}/fit.provenance.json",
    log:
        "logs/{study}/fit.log",
    params:
        bootstrap=lambda w: FIT_BOOTSTRAP if w.study == CELLS else 0,
        seed=study_seed,
    message:
        "fit {wildcards.study}"
    script:
        "../scripts/fit.py"
