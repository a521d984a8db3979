# What the matches can tell, and how well: estimators, efficiency, the choice of a formula; coverage.
# Needs: matches, points, coefficients and formula of the study of cells (rules/gather.smk, fit.smk), measured costs
# (results/statistics/costs.csv, rules/plan.smk), the frozen parts of the planned study where they have been played.
# Makes: <results>/<nets>/statistics/<table>.csv and recommended.json with one provenance, figures, report.html, summary.txt;
# on demand (`coverage`) the tables of coverage, which take some CPU minutes.
from study.evidence import COVERAGE_TABLES, EFFICIENT, OTHER_STUDIES, TOURNAMENTS
from study.evidence import STUDY as CELLS
from study.evidence import TABLES as STATISTICS_TABLES

STATISTICS = f"{PLAYED}/statistics"
COVERAGE_STUDIES = 2000
COVERAGE_MATCHES = 500  # of a cell, as the published study played
COVERAGE_SEED = 20050


rule statistics_tables:
    input:
        matches=f"{PLAYED}/{CELLS}/matches.parquet",
        points=f"{PLAYED}/{CELLS}/points.csv",
        coefficients=f"{PLAYED}/{CELLS}/coefficients.csv",
        formula=f"{PLAYED}/{CELLS}/formula.json",
        costs=str(kept(NETS) / "statistics" / "costs.csv"),
        others=[
            *expand(f"{PLAYED}/{{study}}/matches.parquet", study=[one for one in OTHER_STUDIES if one in HELD]),
            *frozen_tournaments(TOURNAMENTS),
        ],
        luck=planned_part(EFFICIENT, "luck"),
        errors=planned_part(EFFICIENT, "errors"),
        plain=planned_part(EFFICIENT, "plain"),
        code=lambda w: modules("statistics_tables"),
    output:
        tables=expand(f"{STATISTICS}/{{table}}.csv", table=STATISTICS_TABLES),
        provenance=f"{STATISTICS}/statistics_tables.provenance.json",
        formula=f"{STATISTICS}/recommended.json",
    log:
        "logs/statistics/tables.log",
    conda:
        "../environment.yml"
    message:
        "statistics: estimators, efficiency, contest of formulas, plan"
    script:
        "../scripts/statistics_tables.py"


rule statistics_page:
    input:
        tables=rules.statistics_tables.output.tables,
        formula=rules.statistics_tables.output.formula,
        provenance=rules.statistics_tables.output.provenance,
        templates=own("report/statistics.html.j2", *TEMPLATES),
        code=lambda w: modules("statistics_page"),
    output:
        figures=directory(f"{STATISTICS}/figures"),
        report=report(
            f"{STATISTICS}/report.html",
            caption="../report/statistics.rst",
            category="statistics",
            subcategory="Report",
        ),
        summary=f"{STATISTICS}/summary.txt",
    log:
        "logs/statistics/page.log",
    conda:
        "../environment.yml"
    params:
        coverage=[f"{STATISTICS}/{table}.csv" for table in COVERAGE_TABLES],
    message:
        "page of the statistics"
    script:
        "../scripts/statistics_page.py"


# How well the matches were used, from the frozen tables, without playing.
rule estimates:
    input:
        rules.statistics_tables.output,
        rules.statistics_page.output.report,
        summary=rules.statistics_page.output.summary,
    log:
        "logs/estimates.log",
    localrule: True
    conda:
        "../environment.yml"
    message:
        "statistics of the frozen tables"
    shell:
        "cat {input.summary:q} 2> {log:q}"


# How often intervals hold the truth: 2,000 simulated studies, some CPU minutes. Its tables stay until this is asked for.
rule coverage:
    input:
        matches=f"{PLAYED}/{CELLS}/matches.parquet",
        formula=rules.statistics_tables.output.formula,
        own=f"{PLAYED}/{CELLS}/formula.json",
    log:
        "logs/coverage.log",
    localrule: True
    conda:
        "../environment.yml"
    params:
        folder=lambda w, input: str(Path(input.formula).parent),
        studies=COVERAGE_STUDIES,
        matches=COVERAGE_MATCHES,
        seed=COVERAGE_SEED,
    message:
        "coverage over {params.studies} simulated studies; this takes some minutes"
    script:
        "../scripts/coverage_tables.py"
