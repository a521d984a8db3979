# The law inside its domain, and its preregistered tests (docs/preregistration.md, docs/preregistration-moves.md).
# Needs: matches of Parts I and II and of the designs `inside` and `short-long`, as far as they are frozen; the law of the other nets.
# Makes: <results>/<nets>/law/<table>.csv, formula.json (`coefficients=fitted`), outside.json with two provenances, figures, report.html, summary.txt.
from study import law

LAW = f"{PLAYED}/law"


rule law_tables:
    input:
        matches=lambda w: frozen_studies([*law.FITTED, law.TEST, law.MOVES_TEST]),
        others=[
            str(table)
            for nets in known_nets()
            if nets != NETS and (table := kept(nets) / "law" / "at_lengths.csv").is_file()
        ],
        code=lambda w: modules("law_tables"),
    output:
        tables=expand(f"{LAW}/{{table}}.csv", table=law.TABLES),
        provenance=f"{LAW}/law_tables.provenance.json",
    log:
        "logs/law/tables.log",
    conda:
        "../environment.yml"
    params:
        nets=NETS,
    message:
        "the law inside its domain, gnubg {params.nets}"
    script:
        "../scripts/law_tables.py"


# The formula that people are rated by. Apart from the test, whose law is fitted to what was whole when it was played.
rule law_formula:
    input:
        matches=lambda w: frozen_studies(dict.fromkeys([*law.STUDIES, *law.DEPTH])),
        code=lambda w: modules("law_formula"),
    output:
        tables=expand(f"{LAW}/{{table}}.csv", table=law.FORMULA_TABLES),
        provenance=f"{LAW}/law_formula.provenance.json",
        formulas=expand(f"{LAW}/{{formula}}.json", formula=law.FORMULAS),
    log:
        "logs/law/formula.log",
    conda:
        "../environment.yml"
    params:
        nets=NETS,
    message:
        "the law as a formula, gnubg {params.nets}"
    script:
        "../scripts/law_formula.py"


rule law_page:
    input:
        tables=[*rules.law_tables.output.tables, *rules.law_formula.output.tables],
        templates=own("report/law.html.j2", *TEMPLATES),
        code=lambda w: modules("law_page"),
    output:
        figures=directory(f"{LAW}/figures"),
        report=report(f"{LAW}/report.html", caption="../report/law.rst", category="law", subcategory="Report"),
        summary=f"{LAW}/summary.txt",
    log:
        "logs/law/page.log",
    conda:
        "../environment.yml"
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
        rules.law_formula.output,
        rules.law_page.output.report,
        summary=rules.law_page.output.summary,
    log:
        "logs/law.log",
    localrule: True
    conda:
        "../environment.yml"
    message:
        "the law inside its domain"
    shell:
        "cat {input.summary:q} 2> {log:q}"
