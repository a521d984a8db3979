"""Reduce a study's matches to design points and fit rating formulas to them.

Inputs: the table of matches. Outputs: points.csv, coefficients.csv, formula.json with one provenance.
"""

from pathlib import Path

from bgrating.engine.nets import nets_of
from bgrating.entry import reporting
from bgrating.play.matches import read_checked
from bgrating.rating.formula import write_no_formula
from bgrating.tables.provenance import one_provenance
from bgrating.tables.tables import inherited, read_table, write_table
from study.formula.catalogue import coefficients, fit_all, recommended
from study.formula.points import points as reduce
from study.formula.regressions import UndeterminedError

with reporting(snakemake.log[0]), one_provenance(Path(snakemake.output.provenance)):
    matches = Path(snakemake.input.matches)
    played = read_checked(matches)
    write_table(reduce(played), Path(snakemake.output.points), "study/points", **inherited(matches))
    points = read_table(Path(snakemake.output.points))  # with the digits written
    results = list(fit_all(points))
    origin = inherited(matches)
    table = coefficients(results)
    write_table(table, Path(snakemake.output.coefficients), "study/coefficients", **origin)
    formula = Path(snakemake.output.formula)
    study = {"study": snakemake.wildcards.study, "nets": nets_of(origin["engine"], matches)}
    try:
        recommended(results, points, study).write(formula, **origin)
    except UndeterminedError as reason:  # such as a study of a few pairs of players: its points are its result
        write_no_formula(formula, str(reason), study, **origin)
