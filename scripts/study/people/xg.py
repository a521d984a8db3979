"""gnubg's verdicts beside XG's on the same decisions of `.xg` files: at 0-ply, checked and at 2-ply (`./run xg`)."""

from pathlib import Path
from typing import Any

import click
import pandas as pd

from bgrating.collection.rate import RateRequest, rate
from bgrating.command import PATH
from bgrating.engine.nets import committed_results
from bgrating.pages.positions import COSTLY, DIFFERENCE, NO_CONTACT
from bgrating.tables.tables import write_table

PLACE = ["file", "match", "game", "ply", "side", "kind"]
SIDE = ["file", "match", "side"]


def beside_xg(shallow: pd.DataFrame, deep: pd.DataFrame, xg_pr: pd.Series) -> pd.DataFrame:
    """Return, for 0-ply, checked and 2-ply, how PR of a side and loss of a decision differ from XG's.

    `shallow`, `deep`: decisions at 0- and 2-ply; `xg_pr`: of each side of a match (SIDE). A checked loss is that of
    2-ply wherever pages show an error, and 0-ply's elsewhere, as in second_look.py.
    """
    both = shallow.merge(deep[[*PLACE, "loss_emg"]], on=PLACE, how="left", suffixes=("", "_deep"))
    # A decision not to double that 2-ply does not find close has no row there, and loses nothing.
    both["2-ply"] = both["loss_emg_deep"].fillna(0.0)
    no_contact = both["kind"].ne("play") & both["theme"].isin(list(NO_CONTACT))
    is_checked = both["loss_emg"].ge(COSTLY) | both["xg_loss_emg"].ge(COSTLY) | no_contact
    both["0-ply"], both["checked"] = both["loss_emg"], both["2-ply"].where(is_checked, both["loss_emg"])
    judged = both[both["xg_by"].str.startswith("XG", na=False)]
    counted = both[both["unforced"].astype(bool)]
    return pd.DataFrame([_row(level, counted, judged, xg_pr) for level in ("0-ply", "checked", "2-ply")])


def _row(level: str, counted: pd.DataFrame, judged: pd.DataFrame, xg_pr: pd.Series) -> dict[str, Any]:
    pr = 500.0 * counted.groupby(SIDE)[level].mean() - xg_pr
    loss = judged[level] - judged["xg_loss_emg"]
    return {
        "level": level, "n_sides": len(pr), "pr_difference": pr.mean(), "pr_scatter": pr.std(),
        "n_decisions": len(loss), "loss_difference": loss.mean(), "loss_scatter": loss.std(),
        "disagreements": int(loss.abs().ge(DIFFERENCE).sum()),
        "errors": int(judged[level].ge(COSTLY).sum()),
        "shared_errors": int((judged[level].ge(COSTLY) & judged["xg_loss_emg"].ge(COSTLY)).sum()),
        "xg_errors": int(judged["xg_loss_emg"].ge(COSTLY).sum()),
    }  # fmt: skip


@click.command()
@click.argument("paths", nargs=-1, required=True, type=PATH)
def command(paths: tuple[Path, ...]) -> None:
    """Compare our verdicts with those in .xg files that XG analysed."""
    shallow, deep = (rate(RateRequest(paths, level=level, luck=False)) for level in ("0-ply", "2-ply"))
    xg_pr = shallow.matches.set_index(SIDE)["xg_pr"].dropna()
    table = beside_xg(shallow.decisions, deep.decisions, xg_pr)
    nets = shallow.facts["nets"]
    path = committed_results(nets) / "people-depth" / "xg.csv"
    write_table(table, path, "people/xg", nets=nets, matches=len(xg_pr) // 2)
    print(table.to_string(index=False))
