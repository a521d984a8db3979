# Compare published and regenerated.
# Needs: matches, points, coefficients and formulas of the studies that have frozen tables (rules/gather.smk, fit.smk).
# Makes: <results>/comparison/<table>.csv and alternative.json with their provenance, figures, report.html, summary.txt.
from bgrating.compare.names import TABLES

COMPARISON = f"{RESULTS}/comparison"


rule compare:
    input:
        matches=expand(f"{RESULTS}/{{study}}/matches.parquet", study=HELD),
        points=expand(f"{RESULTS}/{{study}}/points.csv", study=HELD),
        coefficients=expand(f"{RESULTS}/{{study}}/coefficients.csv", study=HELD),
        formulas=expand(f"{RESULTS}/{{study}}/formula.json", study=HELD),
        published=["results/published/coefficients.csv", "results/published/appendix2.csv"],
        code=lambda w: modules("compare", "model", "compare"),
    output:
        tables=expand(f"{COMPARISON}/{{table}}.csv", table=TABLES),
        provenance=expand(f"{COMPARISON}/{{table}}.csv.provenance.json", table=TABLES),
        alternative=f"{COMPARISON}/alternative.json",
        alternative_provenance=f"{COMPARISON}/alternative.json.provenance.json",
    log:
        "logs/comparison/compare.log",
    conda:
        "../environment.yml"
    message:
        "compare published and regenerated"
    script:
        "../scripts/compare.py"


rule comparison_page:
    input:
        tables=rules.compare.output.tables,
        alternative=rules.compare.output.alternative,
        alternative_provenance=rules.compare.output.alternative_provenance,
        formulas=rules.compare.input.formulas,
        templates=["report/comparison.html.j2", "report/style.css"],
        code=[
            "scripts/bgrating/figures/style.py",
            "scripts/bgrating/figures/moved.py",
            "scripts/bgrating/report/comparison.py",
            "scripts/bgrating/report/comparison_page.py",
            "scripts/bgrating/report/page.py",
            "scripts/bgrating/report/words.py",
        ],
    output:
        figures=directory(f"{COMPARISON}/figures"),
        report=report(
            f"{COMPARISON}/report.html",
            caption="../report/comparison.rst",
            category="comparison",
            subcategory="Report",
        ),
        summary=f"{COMPARISON}/summary.txt",
    log:
        "logs/comparison/page.log",
    conda:
        "../environment.yml"
    params:
        absent=ABSENT,
    message:
        "page of the comparison"
    script:
        "../scripts/comparison.py"


# Published against regenerated, from the frozen tables, without playing.
rule comparison:
    input:
        rules.comparison_page.output.report,
        summary=rules.comparison_page.output.summary,
    log:
        "logs/comparison.log",
    localrule: True
    conda:
        "../environment.yml"
    message:
        "published against regenerated"
    shell:
        "cat {input.summary:q} 2> {log:q}"
