# Reduce matches to design points and fit rating formulas to them.
# Needs: <results>/<nets>/<study>/matches.parquet and its provenance.
# Makes: <results>/<nets>/<study>/points.csv, coefficients.csv and formula.json, with one provenance.


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
    message:
        "fit {wildcards.study}"
    script:
        "../scripts/fit.py"
