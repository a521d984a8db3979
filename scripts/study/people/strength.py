"""Estimated ratings of players and of single matches: how uncertain they are, and what recorded ratings say of them."""

import math
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import statsmodels.api as sm
from statsmodels.tools.sm_exceptions import ConvergenceWarning

from bgrating.collection.players import errors_of, rated
from bgrating.rating.choose import Chosen
from bgrating.rating.fibs import Floats
from bgrating.rating.field import (
    Field,
    field_of,
    loss_per_root,
    mean_loss,
    pooled_scatter,
    random_effects,
    roots,
    shrink,
    variances,
)
from bgrating.rating.intervals import CONFIDENCE, delete_one_error, quantile
from bgrating.rating.player import Errors, rating
from bgrating.tables.dictionary import columns

FEW = (1, 2, 3, 5)
REST = 8
"""Other matches that a player must have to be judged by."""
DRAWS = 20
SEED = 11
STUDENT, PLAIN, SHRUNK = "own matches alone (Student's t)", "pooled variance", "pooled variance, shrunk to the field"
LEAST_MATCHES = 30
MOST_MATCHES = 250
"""Matches of a mixed-effects fit at most, the first in the order of a fixed shuffle: the work grows with their cube."""
LEAST_MOVES = 20


def strengths(matches: pd.DataFrame, chosen: Chosen, offset: float) -> pd.DataFrame:
    """Return one row per named player and site (the dialect of the text) with an estimated rating (people/strengths).

    `rating`, `ci_low`, `ci_high` are those of rating/player.py, over the matches at this site. `rating_se`,
    `shrunk_rating` and `shrunk_se` are those of rating/field.py, the site's players the field. NaN where a site has
    too few players or matches for it.
    """
    own = matches[(matches["player"] != "") & (matches["match_length"] > 0) & (matches["unforced_moves"] > 0)]
    tables = []
    for site, here in own.groupby("dialect", sort=True):
        rows = [_player(str(player), rows, chosen, offset) for player, rows in here.groupby("player", sort=True)]
        table = pd.DataFrame([row for row in rows if math.isfinite(row["rating"])])
        if len(table):
            tables.append(_with_errors(table, offset).assign(site=str(site)))
    names = columns("people/strengths")
    return pd.concat(tables, ignore_index=True)[names] if tables else pd.DataFrame(columns=names)


def _player(name: str, own: pd.DataFrame, chosen: Chosen, offset: float) -> dict[str, Any]:
    recorded = own["recorded_rating"].dropna().to_numpy(np.float64)
    return {
        "player": name,
        "decisions": float(own["unforced_moves"].sum() + own[chosen.decisions].sum()),
        **rated(errors_of(own, chosen), chosen, offset),
        "recorded_rating": float(recorded.mean()) if len(recorded) else math.nan,
        "recorded_matches": len(recorded),
        "recorded_sd": float(recorded.std(ddof=1)) if len(recorded) > 1 else math.nan,
    }


def _with_errors(players: pd.DataFrame, offset: float) -> pd.DataFrame:
    root, (variance, _) = roots(players), variances(players, pooled_scatter(players))
    mean, _, between = random_effects(root, variance)
    share = between / (between + variance) if math.isfinite(between) else np.full(len(root), math.nan)
    shrunk, left = mean + share * (root - mean), share * variance
    return players.assign(
        rating_se=loss_per_root(np.maximum(root, 1.0)) * np.sqrt(variance),
        shrunk_rating=offset - mean_loss(shrunk, left),
        shrunk_se=loss_per_root(np.maximum(shrunk, 1.0)) * np.sqrt(left),
    )


def few_matches(matches: pd.DataFrame, chosen: Chosen, offset: float) -> pd.DataFrame:
    """Return how often intervals from 1, 2, 3, 5 matches hold the rating of the player's other matches.

    Every player with REST matches beside the few counts alike, with DRAWS sets of matches chosen at random; the field
    is that of the other players. Both ratings are by one formula, so its own errors are left out. `coverage` counts the
    intervals that hold the rating of the other matches as it is, `coverage_fair` those that do with the error of the
    other matches allowed for, which is what an interval promises; their intervals leave out one player at a time.
    Columns: people/few_matches.
    """
    own = matches[(matches["player"].fillna("") != "") & (matches["unforced_moves"] > 0)]
    own = own[chosen.formula.holds_at(own["match_length"].to_numpy(float))]
    sure = replace(chosen.formula, covariance=np.zeros_like(chosen.formula.covariance))
    chosen = replace(chosen, formula=sure)
    players = {str(name): errors_of(rows, chosen) for name, rows in own.groupby("player", sort=True)}
    whole = pd.DataFrame([rated(errors, chosen, offset) for errors in players.values()], index=list(players))
    rng = np.random.default_rng(SEED)
    found: dict[tuple[int, str], list[Floats]] = {}
    for name, errors in players.items():
        field = field_of(whole.drop(index=name))
        for few in FEW:
            if field is not None and len(errors.match_length) >= few + REST:
                for interval, rows in _draws(errors, few, field, chosen, offset, rng).items():
                    found.setdefault((few, interval), []).append(rows)
    table = [_coverage(few, interval, draws) for (few, interval), draws in sorted(found.items())]
    return pd.DataFrame(table, columns=columns("people/few_matches"))


def _draws(
    own: Errors, few: int, field: Field, chosen: Chosen, offset: float, rng: np.random.Generator
) -> dict[str, Floats]:
    """Return for every kind of interval the draws of one player: value, low, high, rating of the other matches."""
    draws, rest = [], []
    for _ in range(DRAWS):
        order = rng.permutation(len(own.match_length))
        taken, left = (Errors(*(values[places] for values in vars(own).values())) for places in np.split(order, [few]))
        draws.append(rated(taken, chosen, offset))
        others = rating(left, chosen.formula, offset)
        rest.append((others.value, quantile(CONFIDENCE) * others.se_matches))
    table, truth = pd.DataFrame(draws), np.array(rest)
    wide = shrink(table, field, offset)
    value = table["rating"].to_numpy(float)
    kinds = {PLAIN: (value, wide.low, wide.high), SHRUNK: (wide.shrunk, wide.shrunk_low, wide.shrunk_high)}
    if few > 1:
        kinds[STUDENT] = (value, table["ci_low"].to_numpy(float), table["ci_high"].to_numpy(float))
    return {kind: np.column_stack([*ends, truth]) for kind, ends in kinds.items()}


def _coverage(few: int, interval: str, players: list[Floats]) -> dict[str, Any]:
    """Return a row from every player's draws: value, low, high, rating of the other matches, half its interval."""
    value, low, high, truth, error = np.concatenate(players).T
    half, off = (high - low) / 2, value - truth
    row: dict[str, Any] = {"matches": few, "interval": interval}
    wide = np.where(off > 0, np.hypot(value - low, error), np.hypot(high - value, error))
    for name, ends, inside in (
        ("coverage", "coverage", (low <= truth) & (truth <= high)),
        ("coverage_fair", "fair", np.abs(off) <= wide),
    ):
        each = inside.reshape(len(players), -1).mean(axis=1)
        without = (each.sum() - each) / max(len(each) - 1, 1)
        reach = quantile(CONFIDENCE, len(each) - 1) * delete_one_error(without) if len(each) > 1 else math.nan
        mean = float(each.mean())
        row |= {name: mean, f"{ends}_low": mean - reach, f"{ends}_high": mean + reach}
    return row | {
        "mean_half_width": float(half.mean()), "median_half_width": float(np.median(half)),
        "mean_error": float(off.mean()), "rms_error": float(np.sqrt((off**2).mean())), "n_players": len(players),
        "draws": DRAWS, "confidence": CONFIDENCE,
    }  # fmt: skip


def mixed(matches: pd.DataFrame) -> pd.DataFrame:
    """Fit single matches' estimated ratings to recorded ratings, site by site (people/mixed).

    Both players of a match share its positions, and a player who is in every match is one player, however many rows.
    Models: `rows alike` (least squares: every row counts), `players and matches` (each has its own normal part,
    crossed; restricted maximum likelihood by statsmodels). Quantities: `slope`, and of the second `player sd`, `match
    sd`, `residual sd`. Rows need a recorded rating, an estimate and LEAST_MOVES unforced moves; both players' rows of
    a match count. A site with fewer than LEAST_MATCHES matches, or a fit that does not converge, has no rows.
    """
    usable = matches["recorded_rating"].notna() & matches["rating"].notna() & (matches["unforced_moves"] >= LEAST_MOVES)
    rows: list[dict[str, Any]] = []
    for site, here in matches[usable & (matches["player"] != "")].groupby("dialect", sort=True):
        key = here["file"].astype(str) + "\n" + here["match"].astype(str)
        names = np.random.default_rng(1).permutation(np.sort(key.unique()))[:MOST_MATCHES]
        own = here.assign(key=key)[key.isin(names)]
        if len(names) >= LEAST_MATCHES and own["player"].nunique() >= 8:
            about = {"confidence": CONFIDENCE, "n_players": own["player"].nunique(), "n_matches": len(names)}
            rows += [{"site": str(site), **about, **row} for row in _mixed_fits(own)]
    return pd.DataFrame(rows, columns=columns("people/mixed"))


def _mixed_fits(own: pd.DataFrame) -> Iterator[dict[str, Any]]:
    recorded = own["recorded_rating"].to_numpy(np.float64)
    design = np.column_stack([np.ones(len(own)), recorded - recorded.mean()])
    value = own["rating"].to_numpy(np.float64)
    plain = sm.OLS(value, design).fit(cov_type="HC3", use_t=True)
    yield _slope("rows alike", float(plain.params[1]), float(plain.bse[1]), len(own) - 2)
    parts = {
        name: {0: pd.get_dummies(own[column]).to_numpy(np.float64)}
        for name, column in (("player", "player"), ("match", "key"))
    }
    with warnings.catch_warnings():
        # A variance on its border (nothing between matches, say) is an answer here, not a failure.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = sm.MixedLM(
            value, design, groups=np.zeros(len(own), dtype=int),
            exog_vc=sm.regression.mixed_linear_model.VCSpec(
                list(parts), [[[f"{name}{i}" for i in range(part[0].shape[1])]] for name, part in parts.items()],
                [[part[0]] for part in parts.values()],
            ),
        )  # fmt: skip
        found = model.fit(reml=True)
    error = float(found.bse_fe[1])
    if not found.converged or not math.isfinite(error):
        return
    yield _slope("players and matches", float(found.fe_params[1]), error, own["player"].nunique() - 2)
    for name, variance in (*zip(parts, found.vcomp, strict=True), ("residual", found.scale)):
        sd = math.sqrt(max(float(variance), 0.0))
        yield {"model": "players and matches", "quantity": f"{name} sd", "value": sd}


def _slope(model: str, value: float, error: float, free: int) -> dict[str, Any]:
    half = quantile(CONFIDENCE, free) * error
    ends = {"std_error": error, "ci_low": value - half, "ci_high": value + half}
    return {"model": model, "quantity": "slope", "value": value, **ends}
