# Draw the figures of a study and write its report.
# Needs: <results>/<study>/points.csv, coefficients.csv and formula.json (rules/fit.smk), results/published.
# Makes: <results>/<study>/figures (SVG and PNG), report.html, and summary.txt: the lines that a study prints at its end.


rule figures:
    input:
        points=rules.points.output.points,
        coefficients=rules.fit.output.coefficients,
        formula=rules.fit.output.formula,
        published=["results/published/coefficients.csv", "results/published/appendix2.csv"],
        code=[
            "scripts/bgrating/model/predictions.py",
            "scripts/bgrating/model/published.py",
            "scripts/bgrating/model/comparison.py",
            "scripts/bgrating/figures/style.py",
            "scripts/bgrating/figures/ratings.py",
            "scripts/bgrating/figures/cells.py",
            "scripts/bgrating/figures/surface.py",
            "scripts/bgrating/figures/coefficients.py",
            "scripts/bgrating/figures/agreement.py",
            "scripts/bgrating/figures/comparison.py",
            "scripts/bgrating/figures/draw.py",
        ],
    output:
        figures=report(
            directory(f"{RESULTS}/{{study}}/figures"),
            patterns=["{figure}.svg"],
            caption="../report/figure.rst",
            category="{study}",
            subcategory="Figures",
        ),
    log:
        "logs/{study}/figures.log",
    conda:
        "../environment.yml"
    message:
        "figures {wildcards.study}"
    script:
        "../scripts/figures.py"


rule report:
    input:
        points=rules.points.output.points,
        coefficients=rules.fit.output.coefficients,
        formula=rules.fit.output.formula,
        formula_provenance=rules.fit.output.formula_provenance,
        figures=rules.figures.output.figures,
        published=["results/published/coefficients.csv", "results/published/appendix2.csv"],
        templates=["report/study.html.j2", "report/pairs.html.j2", "report/style.css"],
        code=[
            "scripts/bgrating/report/contents.py",
            "scripts/bgrating/report/pairs.py",
            "scripts/bgrating/report/page.py",
            "scripts/bgrating/report/summary.py",
            "scripts/bgrating/report/words.py",
        ],
    output:
        report=report(
            f"{RESULTS}/{{study}}/report.html",
            caption="../report/report.rst",
            category="{study}",
            subcategory="Report",
        ),
        summary=f"{RESULTS}/{{study}}/summary.txt",
    log:
        "logs/{study}/report.log",
    conda:
        "../environment.yml"
    message:
        "report {wildcards.study}"
    script:
        "../scripts/report.py"
