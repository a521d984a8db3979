"""The tables computed from the frozen losses of people.

They are those that the product reads, and Appendix I.
"""

import pandas as pd

from bgrating.rating.formula import RatingFormula
from bgrating.rating.known import PEOPLE_VERSION
from bgrating.rating.result_files import population_table
from bgrating.tables.table_files import read_table
from study.beside_2003 import appendix1
from study.people import LEVELS, TABLES
from study.people.depth_ratios import judged_twice, ratios_by_author
from study.people.factor import close, factor, per_pr
from study.people.losses import frozen_losses
from study.people.plan_costs import frozen_plans, plan_costs


def frozen_tables(engine_version: str, formula: RatingFormula) -> dict[str, pd.DataFrame]:
    """Return the tables of an engine by name (TABLES), from its formula."""
    sides = frozen_losses(engine_version)
    population = read_table(population_table(PEOPLE_VERSION))
    level = LEVELS[engine_version]
    makers = {
        "per_pr": lambda: per_pr(sides, formula),
        "factor": lambda: factor(sides, formula),
        "appendix1": lambda: appendix1(population, formula),
        "close": lambda: close(population),
        "plans": lambda: plan_costs(frozen_plans(engine_version)),
        "depth": lambda: ratios_by_author(
            judged_twice(engine_version, level).query("not seen"), level
        ),
    }
    return {name: makers[name]() for name in TABLES[engine_version]}
