"""Design points of other studies, which no formula of the study of cells was fitted to.

They have other players, on both sides: pairs of noisy players, players who err by the cube alone. The players of the
study of cells all meet a perfect one. What fits those by chance need not carry over.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from bgrating.comparison.rivals import observed
from bgrating.comparison.sources import Played
from bgrating.formula.observations import Observations
from bgrating.formula.points import points
from bgrating.formula.shapes import Shape
from bgrating.gnubg import levels


def other_studies(tables: Mapping[str, pd.DataFrame], lengths: Sequence[int]) -> list[Played]:
    """Make studies of match tables by name: those matches at lengths between the least and greatest of `lengths`.

    Players who differ from the noisy ones of the study of cells by more than their noise (deeper search, dilution) are
    left out with their matches: their errors, as 0-ply analysis sees them, are of another kind.
    """
    made = []
    for name, table in tables.items():
        near = table[table["match_length"].between(min(lengths, default=0), max(lengths, default=0))]
        alike = [one for one in {*near["player"].unique(), *near["opponent"].unique()} if _noise_alone(str(one))]
        own = near[near["player"].isin(alike) & near["opponent"].isin(alike)].reset_index(drop=True)
        if len(own):
            made.append(Played(name, own, points(own), pd.DataFrame(), None, {}))
    return made


def _noise_alone(name: str) -> bool:
    player = levels.player(name)
    return not player.dilution and player.chequerplay.plies == 0 and player.cubedecision.plies == 0


def pooled(studies: Sequence[Played], rival: Shape) -> Observations:
    """Give the design points of several studies as one set; a label is a study and its pair, whoever begins."""
    parts = [(study.name, observed(study, rival)) for study in studies]
    labels = [
        f"{name}: {' against '.join(sorted(str(label).split(' against ')))}"
        for name, part in parts
        for label in part.labels
    ]
    return Observations(
        match_length=np.concatenate([part.match_length for _, part in parts]),
        predictors=np.concatenate([part.predictors for _, part in parts]),
        p=np.concatenate([part.p for _, part in parts]),
        p_se=np.concatenate([part.p_se for _, part in parts]),
        n_matches=np.concatenate([part.n_matches for _, part in parts]),
        labels=np.array(labels, dtype=np.str_),
        left_out=tuple(f"{name}: {one}" for name, part in parts for one in part.left_out),
    )
