# What follows from all studies: the law and its tests, the comparison with 2003.
# Needs: frozen matches of the studies; for the law the coefficients fixed before tests
# (results/<nets>/law/<study>-fixed.json) and the law of the other nets.
# Makes: <results>/<nets>/formula.json; law/ and comparison/: tables with one provenance, figures, report.html, summary.txt.

LAW, COMPARISON = f"{PLAYED}/law", f"{PLAYED}/comparison"


rule law_tables:
    input:
        matches=law_matches,
        fixed=[str(file) for file in sorted((committed_results(NETS) / "law").glob("*-fixed.json"))],
        others=lambda w: law_of_others("lengths"),
        others_test=lambda w: law_of_others("between"),
        code=lambda w: modules("study/law/tables"),
    output:
        tables=expand(f"{LAW}/{{table}}.csv", table=law.TABLES),
        provenance=f"{LAW}/law_tables.provenance.json",
        formula=f"{PLAYED}/formula.json",
    params:
        about="law",
    message:
        "the law and its formula (some minutes)"
    script:
        "../scripts/tables.py"


rule compare:
    input:
        matches=expand(rules.matches.output.table, study=HELD),
        fits=expand(rules.fit.output, study=HELD),
        published=project_files("results/published/coefficients.csv", "results/published/appendix2.csv"),
        code=lambda w: modules("study/comparison"),
    output:
        tables=[f"{COMPARISON}/causes.csv", f"{COMPARISON}/out_of_sample.csv"],
        provenance=f"{COMPARISON}/compare.provenance.json",
    params:
        about="comparison",
    script:
        "../scripts/tables.py"


for about, module, tables in (
    ("law", "study/law/page", rules.law_tables.output),
    ("comparison", "study/report/comparison", rules.compare.output),
):

    rule:
        name:
            f"{about}_page"
        input:
            tables=tables,
            templates=templates(f"{about}.html.j2"),
            code=lambda w, module=module: modules(module),
        output:
            figures=directory(f"{Path(tables.provenance).parent}/figures"),
            report=report(f"{Path(tables.provenance).parent}/report.html", category="All studies"),
            summary=f"{Path(tables.provenance).parent}/summary.txt",
        params:
            about=about,
        script:
            "../scripts/page.py"
