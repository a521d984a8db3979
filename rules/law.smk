# The law: which form of the formula, its tests (docs/preregistration*.md), and the one formula of an engine.
# Needs: frozen matches of the studies of noisy players and of those judged deeper, the coefficients fixed before the
# third test (results/<nets>/law/people-range-fixed.json), the law of the other nets.
# Makes: <results>/<nets>/formula.json, law/<table>.csv with one provenance, figures, report.html, summary.txt.
from study import law

LAW = f"{PLAYED}/law"


rule law_tables:
    input:
        matches=lambda w: [
            *frozen_studies(
                name
                for name in dict.fromkeys([*law.STUDIES, *law.OTHERS, *law.DEPTH])
                if name in STUDIES and "/" not in name
            ),
            *frozen_tournaments(name for name in law.OTHERS if "/" in name),
        ],
        fixed=[str(file) for file in [kept(NETS) / "law" / "people-range-fixed.json"] if file.is_file()],
        others=[
            str(table)
            for nets in known_nets()
            if nets != NETS and (table := kept(nets) / "law" / "lengths.csv").is_file()
        ],
        code=lambda w: modules("law_tables"),
    output:
        tables=expand(f"{LAW}/{{table}}.csv", table=law.TABLES),
        provenance=f"{LAW}/law_tables.provenance.json",
        formula=f"{PLAYED}/formula.json",
    log:
        "logs/law/tables.log",
    params:
        nets=NETS,
    message:
        "the law and its formula, gnubg {params.nets}"
    script:
        "../scripts/law_tables.py"


rule law_page:
    input:
        tables=rules.law_tables.output.tables,
        formula=rules.law_tables.output.formula,
        templates=own("report/law.html.j2", *TEMPLATES),
        code=lambda w: modules("law_page"),
    output:
        figures=directory(f"{LAW}/figures"),
        report=report(f"{LAW}/report.html", caption="../report/law.rst", category="law", subcategory="Report"),
        summary=f"{LAW}/summary.txt",
    log:
        "logs/law/page.log",
    params:
        nets=NETS,
    message:
        "page of the law, gnubg {params.nets}"
    script:
        "../scripts/law_page.py"


# The law and its test, from the frozen tables, without playing.
rule law:
    input:
        rules.law_tables.output,
        rules.law_page.output.report,
        summary=rules.law_page.output.summary,
    log:
        "logs/law.log",
    localrule: True
    shell:
        "cat {input.summary:q} 2> {log:q}"
