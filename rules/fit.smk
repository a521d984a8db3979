# Reduce matches to design points and fit rating formulas to them.
# Needs: <results>/<study>/matches.parquet and its provenance.
# Makes: <results>/<study>/points.csv, coefficients.csv and formula.json, each with its provenance.
FIT_CONFIDENCE = 0.9
FIT_BOOTSTRAP = 400


rule points:
    input:
        matches=f"{RESULTS}/{{study}}/matches.parquet",
        provenance=f"{RESULTS}/{{study}}/matches.parquet.provenance.json",
        code=lambda w: modules("points", "model"),
    output:
        points=f"{RESULTS}/{{study}}/points.csv",
        provenance=f"{RESULTS}/{{study}}/points.csv.provenance.json",
    log:
        "logs/{study}/points.log",
    conda:
        "../environment.yml"
    params:
        confidence=FIT_CONFIDENCE,
    message:
        "points {wildcards.study}"
    script:
        "../scripts/points.py"


rule fit:
    input:
        matches=rules.points.input.matches,
        provenance=rules.points.input.provenance,
        points=rules.points.output.points,
        code=lambda w: modules("fit", "model"),
    output:
        coefficients=f"{RESULTS}/{{study}}/coefficients.csv",
        coefficients_provenance=f"{RESULTS}/{{study}}/coefficients.csv.provenance.json",
        formula=f"{RESULTS}/{{study}}/formula.json",
        formula_provenance=f"{RESULTS}/{{study}}/formula.json.provenance.json",
    log:
        "logs/{study}/fit.log",
    conda:
        "../environment.yml"
    params:
        confidence=FIT_CONFIDENCE,
        bootstrap=FIT_BOOTSTRAP,
        seed=study_seed,
    message:
        "fit {wildcards.study}"
    script:
        "../scripts/fit.py"
