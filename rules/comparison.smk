# Compare published and regenerated.
# Needs: matches, points, coefficients and formulas of the studies that have frozen tables (rules/gather.smk, fit.smk).
# Makes: <results>/<nets>/comparison/<table>.csv with one provenance, figures, report.html, summary.txt.
from study.comparison import TABLES

COMPARISON = f"{PLAYED}/comparison"


rule compare:
    input:
        matches=expand(f"{PLAYED}/{{study}}/matches.parquet", study=HELD),
        points=expand(f"{PLAYED}/{{study}}/points.csv", study=HELD),
        coefficients=expand(f"{PLAYED}/{{study}}/coefficients.csv", study=HELD),
        formulas=expand(f"{PLAYED}/{{study}}/formula.json", study=HELD),
        published=own("results/published/coefficients.csv", "results/published/appendix2.csv"),
        code=lambda w: modules("compare"),
    output:
        tables=expand(f"{COMPARISON}/{{table}}.csv", table=TABLES),
        provenance=f"{COMPARISON}/compare.provenance.json",
    log:
        "logs/comparison/compare.log",
    message:
        "compare published and regenerated"
    script:
        "../scripts/compare.py"


rule comparison_page:
    input:
        tables=rules.compare.output.tables,
        provenance=rules.compare.output.provenance,
        formulas=rules.compare.input.formulas,
        templates=own("report/comparison.html.j2", *TEMPLATES),
        code=lambda w: modules("comparison_page"),
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
    params:
        absent=ABSENT,
    message:
        "page of the comparison"
    script:
        "../scripts/comparison_page.py"


# Published against regenerated, from the frozen tables, without playing.
rule comparison:
    input:
        rules.compare.output,
        rules.comparison_page.output.report,
        summary=rules.comparison_page.output.summary,
    log:
        "logs/comparison.log",
    localrule: True
    shell:
        "cat {input.summary:q} 2> {log:q}"
