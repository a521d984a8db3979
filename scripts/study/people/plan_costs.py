"""What each game plan costs players of a level, from frozen losses of people.

Advice on practice compares with it.

The loss of players in a plan is D exp(const + slope log r), with their D decisions in it and their
error r in all decisions. This is a Poisson model with overdispersion (McCullagh and Nelder,
Generalized Linear Models (1989), chapter 6). Players differ from it by credibility theory
(people/match_pairs.py).
"""

import numpy as np
import pandas as pd
import pyarrow as pa
import statsmodels.api as sm

from bgrating.people.plans import OTHER_PLAN
from bgrating.rating.result_files import results_of
from bgrating.tables.dictionary import columns
from bgrating.tables.table_files import read_rows
from study.people.match_pairs import credibility

SCHEMA = pa.schema(
    [
        ("player", pa.int32()),
        ("match", pa.int32()),
        ("plan", pa.string()),
        ("decisions", pa.int32()),
        ("loss_emg", pa.float32()),
    ]
)


def frozen_plans(engine_version: str) -> pd.DataFrame:
    """Return the losses of people by player, match and game plan, errors judged at 2-ply."""
    return read_rows(
        results_of(engine_version) / "people-plans" / "frozen" / "plans.parquet", SCHEMA
    )


def plan_costs(losses: pd.DataFrame) -> pd.DataFrame:
    """Return the table people/plans from losses with the columns of SCHEMA; a plan has one row.

    `k` is in EMG of expected loss, `within` the variance of a player's loss per EMG of expected
    loss.
    """
    sums = losses.groupby("player")[["decisions", "loss_emg"]].sum()
    rate = sums["loss_emg"] / sums["decisions"]
    rows = []
    for plan, of_plan in losses[losses["player"].map(rate) > 0].groupby("plan"):
        players = of_plan.groupby("player")[["decisions", "loss_emg"]].sum()
        decisions, loss = players.to_numpy(float).T
        level = np.log(rate[players.index].to_numpy(float))
        model = sm.GLM(
            loss,
            sm.add_constant(level),
            family=sm.families.Poisson(),
            offset=np.log(decisions),
        )
        const, slope = model.fit(scale="X2").params
        number = players.index.get_indexer(pd.Index(of_plan["player"]))
        expected = of_plan["decisions"].to_numpy(float) * np.exp(const + slope * level)[number]
        _, k, within = credibility(number, of_plan["loss_emg"].to_numpy(float), expected)
        rows.append([plan, const, slope, k, within, len(players), of_plan["match"].nunique()])
    return pd.DataFrame(rows, columns=columns("people/plans")).sort_values(
        "plan", key=lambda name: name == OTHER_PLAN
    )
