# Draw the figures of a study and write its report.
# Needs: <results>/<nets>/<study>/points.csv, coefficients.csv and formula.json (rules/fit.smk), results/published, the
# law of these nets if it is kept.
# Makes: <results>/<nets>/<study>/figures (SVG and PNG), report.html, and summary.txt: the lines that a study prints at its end.
# On demand (`crate`) crate.zip: workflow, engine, frozen matches and what was made of them, as a Workflow Run RO-Crate.


rule report:
    input:
        points=rules.fit.output.points,
        coefficients=rules.fit.output.coefficients,
        formula=rules.fit.output.formula,
        provenance=rules.fit.output.provenance,
        published=own("results/published/coefficients.csv", "results/published/appendix2.csv"),
        # What is kept, as for people: a study that is played is not to fit the law anew.
        law=[str(file) for file in [kept(NETS) / "law" / "formula.json"] if file.is_file()],
        templates=own("report/study.html.j2", "report/pairs.html.j2", *TEMPLATES),
        code=lambda w: modules("report"),
    output:
        figures=report(
            directory(f"{PLAYED}/{{study}}/figures"),
            patterns=["{figure}.svg"],
            caption="../report/figure.rst",
            category="{study}",
            subcategory="Figures",
        ),
        report=report(
            f"{PLAYED}/{{study}}/report.html",
            caption="../report/report.rst",
            category="{study}",
            subcategory="Report",
        ),
        summary=f"{PLAYED}/{{study}}/summary.txt",
    log:
        "logs/{study}/report.log",
    message:
        "figures and report of {wildcards.study}"
    script:
        "../scripts/report.py"


rule study_crate:
    input:
        matches=match_tables,
        made=[
            rules.fit.output.points,
            rules.fit.output.coefficients,
            rules.fit.output.formula,
            rules.report.output.report,
            rules.report.output.summary,
        ],
        code=lambda w: modules("study_crate"),
    output:
        archive=f"{PLAYED}/{{study}}/crate.zip",
    log:
        "logs/{study}/crate.log",
    localrule: True
    message:
        "pack {wildcards.study}"
    script:
        "../scripts/study_crate.py"
