"""The figure of a tournament: every player's ratings by all systems side by side, and what tells the systems apart."""

from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from bgrating.report.style import (
    BLUE,
    GREEN,
    MARKERS,
    ORANGE,
    PURPLE,
    RC,
    SKY,
    VERMILION,
    legend,
    new_figure,
    note,
    spans,
)
from bgrating.tournament.systems import SYSTEMS

COLOURS = dict(zip(SYSTEMS, (SKY, BLUE, GREEN, VERMILION, PURPLE, ORANGE), strict=True))
WORDS = {
    "elo": "Elo, game by game",
    "logistic": "logistic",
    "eloworld": "Elo World",
    "luck_adjusted": "luck-adjusted results",
    "errors_published": "errors, published formula",
    "errors_fitted": "errors, fitted formula",
}
BASE = "luck_adjusted"
_GAP = 0.13
_RC = RC | {"text.parse_math": False}


def ratings(table: pd.DataFrame, differences: pd.DataFrame, match_length: int) -> Figure:
    """Draw all ratings of every player with their intervals, and beside them how far each system is from one of them.

    `table` is tournament.csv, best first; `differences` is differences.csv.
    """
    players = table["player"].tolist()[::-1]
    figure, (left, right) = new_figure(2, height=2.0 + 0.62 * len(players), sharey=True)
    at = np.arange(len(players))
    rows = table.set_index("player").loc[players]
    with mpl.rc_context(_RC):
        for place, system in enumerate(SYSTEMS):
            shift = _GAP * ((len(SYSTEMS) - 1) / 2 - place)
            style: dict[str, Any] = {
                "fmt": MARKERS[place],
                "color": COLOURS[system],
                "markersize": 4.0,
                "elinewidth": 1.1,
            }
            spans(left, at + shift, rows, system, f"{system}_ci", across=True, label=WORDS[system], **style)
            if system != BASE:
                apart = from_base(differences, system).set_index("player").loc[players]
                spans(right, at + shift, apart, "difference", across=True, **style)
        left.set_yticks(at, players)
        left.set_ylim(-0.6, len(players) - 0.4)
        left.set_xlabel("FIBS points above the players' mean")
        right.axvline(0, color=COLOURS[BASE], linewidth=1.2)
        right.set_xlabel(f"FIBS points above the rating from {WORDS[BASE]}")
        legend(figure, 3)
        note(
            figure,
            f"Matches to {match_length} points. 90 % intervals from matches drawn anew; those on the right are of the "
            "difference. Points of Elo and of Elo World times 5 / √N are FIBS points.",
        )
    return figure


def from_base(differences: pd.DataFrame, system: str) -> pd.DataFrame:
    """Return `player`, `difference`, `ci_low`, `ci_high`: a system's ratings less those from luck-adjusted results."""
    one = differences[(differences["system"] == system) & (differences["other"] == BASE)]
    other = differences[(differences["system"] == BASE) & (differences["other"] == system)]
    turned = other.assign(difference=-other["difference"], ci_low=-other["ci_high"], ci_high=-other["ci_low"])
    return pd.concat([one, turned], ignore_index=True)[["player", "difference", "ci_low", "ci_high"]]
