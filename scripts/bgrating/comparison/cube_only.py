"""Players who err at the cube alone: rating difference beside the same error counted in several ways."""

import pandas as pd

from bgrating.comparison.sources import Played
from bgrating.dictionary import columns
from bgrating.formula.published import published_points
from bgrating.formula.rates import KEY, RATES, totals

PER = ("epc", "epc_2003", "epc_every", "epc_games")
COLUMNS = columns("comparison/cube_only")


def cube_only(studies: list[Played]) -> pd.DataFrame:
    """Give every design point whose players play chequers alike, with its cube errors over several counts (COLUMNS).

    Error rates are EMG, differences of both players; counts per game are the player's own. `r_over_…` is the rating
    difference over the rate: constant where a straight line through 0 holds. The paper's rows are those of its
    Appendix II, its EPC counted as in 2003.
    """
    parts = [_rows(study) for study in studies]
    paper = published_points()
    paper = paper[(paper["epm"] == 0) & (paper["epc"] > 0)]
    parts.append(paper.assign(source="van den Doel 2003", epc_2003=paper["epc"]).drop(columns="epc"))
    table = pd.concat([part for part in parts if len(part)], ignore_index=True)
    for name in PER:
        table[f"r_over_{name}"] = table["rating_difference"] / (table[name] if name in table else float("nan"))
    return table.reindex(columns=COLUMNS)


def _rows(study: Played) -> pd.DataFrame:
    sums = totals(study.matches)
    rates = pd.DataFrame(
        {n: RATES[n].of(sums, "player") - RATES[n].of(sums, "opponent") for n in PER}, index=sums.index
    )
    for name, count in (
        ("close_per_game", "close_cube_decisions"),
        ("close_2003_per_game", "close_cube_decisions_2003"),
        ("decisions_per_game", "total_cube_decisions"),
    ):
        rates[name] = sums[f"player_{count}"] / sums["games"]
    mine = study.rows
    chequer = [player.partition("+")[0] for player in mine["player"]]
    alike = [own == other.partition("+")[0] for own, other in zip(chequer, mine["opponent"], strict=True)]
    kept = mine[alike].drop(columns=list(PER), errors="ignore")
    return kept.merge(rates.reset_index(), on=KEY).assign(source=study.name).reindex(columns=COLUMNS)
