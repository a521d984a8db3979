"""Reduce the matches of a study to design points, and fit rating formulas to these.

Write the points, the coefficients and the recommended formula.
"""

from pathlib import Path

import pandas as pd

from bgrating.engine.known_engines import version_of
from bgrating.play.match_tables import read_checked
from bgrating.rating.formula import write_no_formula
from bgrating.tables.provenance import one_provenance
from bgrating.tables.table_files import read_table, write_table
from study.custody import origin
from study.formula.catalogue import coefficients, fit_all, recommended
from study.formula.design_points import points as reduce
from study.formula.regressions import UndeterminedError
from study.pooling import require_matches
from study.workflow_settings import Settings


def run(settings: Settings, study: str, points: str, *matches: str) -> None:
    """Write the points, and beside them coefficients and formula.

    A study that determines no formula has a file with the reason.

    `matches` are those of the study, then those of other studies, whose design points are fitted
    too.
    """
    table = Path(points)
    played = list(map(Path, matches))
    for path in played:
        require_matches(settings, path)
    points_of_study, *added_points = [reduce(read_checked(path)) for path in played]
    write_table(points_of_study, table, "study/points", **origin(table, played[0], played[:1]))
    # The fit reads the points as written, to ten digits: so does whoever fits them again.
    rows = pd.concat([read_table(table), *added_points], ignore_index=True)
    out = table.with_name("coefficients.csv")
    provenance = origin(out, table, [table, *played])
    results = list(fit_all(rows))
    metadata = {"study": study, "nets": version_of(provenance["engine"], table)}
    with one_provenance(table.with_name("fit.provenance.json")):
        write_table(coefficients(results), out, "study/coefficients", **provenance)
        formula = table.with_name("formula.json")
        try:
            recommended(results, rows, metadata).write(formula, **provenance)
        except UndeterminedError as reason:
            write_no_formula(formula, str(reason), metadata, **provenance)
