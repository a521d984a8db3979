"""Fit rating formulas to the design points of a study.

Write the coefficients and the recommended formula.
"""

from pathlib import Path

import pandas as pd

from bgrating.engine.nets import nets_of
from bgrating.play.matches import read_checked
from bgrating.rating.formula import write_no_formula
from bgrating.tables.provenance import one_provenance
from bgrating.tables.table_files import read_table, write_table
from study.custody import origin
from study.formula.catalogue import coefficients, fit_all, recommended
from study.formula.design_points import points as reduce
from study.formula.regressions import UndeterminedError
from study.pooling import require_matches
from study.workflow_settings import Settings


def run(
    settings: Settings, study: str, out: str, formula: str, record: str, points: str, *matches: str
) -> None:
    """Write the coefficients and the formula.

    A study that determines no formula has a file with the reason.

    `matches` are those of the study, then those of other studies, whose design points are fitted
    too.
    """
    table = Path(points)
    played = list(map(Path, matches))
    for path in played:
        require_matches(settings, path)
    facts = origin(Path(out), table, [table, *played])
    others = [reduce(read_checked(path)) for path in played[1:]]
    rows = pd.concat([read_table(table), *others], ignore_index=True)
    results = list(fit_all(rows))
    about = {"study": study, "nets": nets_of(facts["engine"], table)}
    with one_provenance(Path(record)):
        write_table(coefficients(results), Path(out), "study/coefficients", **facts)
        try:
            recommended(results, rows, about).write(Path(formula), **facts)
        except UndeterminedError as reason:
            write_no_formula(Path(formula), str(reason), about, **facts)
