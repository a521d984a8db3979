"""Do likelihoods of plays, as used for chess, tell players apart better than the mean error? (`./run likelihood`)."""

import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd
from scipy.optimize import minimize
from scipy.stats import f_oneway, rankdata

from bgrating.command import PATH
from bgrating.engine.levels import analysis
from bgrating.engine.locate import Engine, find_engine
from bgrating.engine.nets import committed_results
from bgrating.play import designs
from bgrating.play.shards import Limits, analyse_files, play_shard
from bgrating.rating.fibs import Floats
from bgrating.rating.intervals import CONFIDENCE
from bgrating.tables.tables import write_table

Model = Callable[[Floats, float, float], Floats]
Sides = list[tuple[str, Floats]]
"""Of each player and match: the player, and what every play of a decision loses; the play made first, then the kept."""
PLAYS, FEWEST, MOST, SAMPLE, REPLICATES, SEED = 7, 15, 20, 4000, 200, 42
SHARE = 0.02
SCALES = np.geomspace(1e-4, 3.0, 36)
DESIGN, LENGTH = "people-range", 7
SIMULATED = {
    "noise": [
        ("noise-0.035+noise-0.08", "noise-0.03+noise-0.05"), ("noise-0.03+noise-0.05", "noise-0.02+noise-0.05"),
        ("noise-0.035+noise-0.05", "noise-0.02+noise-0.1"),
    ],
    "blunders": [
        ("blunders-0.12", "blunders-0.06"), ("blunders-0.14", "blunders-0.1"), ("blunders-0.12", "blunders-0.08"),
    ],
}  # fmt: skip


def logit(lost: Floats, scale: float, exponent: float) -> Floats:
    """Return minus the log likelihoods of decisions: a play's chance goes with exp(-(loss / scale)^exponent)."""
    costs = (lost / scale) ** exponent
    return np.asarray(costs[:, 0] + np.log(np.exp(-costs[:, 1:]).sum(axis=1)))


def power(lost: Floats, scale: float, exponent: float) -> Floats:
    """Return minus the log likelihoods of decisions: a play's chance is p^exp((loss / scale)^exponent), p the best's.

    Source: Regan and Haworth, Intrinsic Chess Ratings (2011), without their scaling of losses.
    """
    powers = np.exp(np.minimum((lost / scale) ** exponent, 30.0))
    powers[~np.isfinite(lost)] = np.inf
    low, high = np.zeros(len(lost)), np.full(len(lost), np.log(PLAYS))  # of -log p: the chances add up to 1
    for _ in range(25):
        middle = (low + high) / 2
        is_more = np.exp(-middle[:, None] * powers[:, 1:]).sum(axis=1) > 1
        low, high = np.where(is_more, middle, low), np.where(is_more, high, middle)
    return high * powers[:, 0]


def information(sides: Sides, exponents: Mapping[Model, float], *, by_player: bool) -> pd.DataFrame:
    """Return how well statistics of a match tell players apart: variance between over within players, mean error = 1.

    The variances are those of ranks, so that no scale of a statistic matters. `by_player`: players are drawn for the
    interval, else matches of each player.
    """
    names = np.array([name for name, _ in sides])
    fits = {"logit, exponent 1": (logit, 1.0)} | {
        f"{model.__name__}, exponent fitted": (model, exponent) for model, exponent in exponents.items()
    }
    figures = {
        "mean error": [lost[:, 0].mean() for _, lost in sides],
        "share of errors": [(lost[:, 0] > SHARE).mean() for _, lost in sides],
    } | {name: _scales(sides, *fit) for name, fit in fits.items()}
    rng, players = np.random.default_rng(SEED), [np.flatnonzero(names == name) for name in dict.fromkeys(names)]
    draws = []
    for _ in range(REPLICATES):
        chosen = [players[k] for k in rng.integers(0, len(players), len(players))] if by_player else players
        drawn = chosen if by_player else [rng.choice(group, len(group)) for group in chosen]
        draws.append([_between(np.array(values), drawn) for values in figures.values()])
    ratios = np.array(draws) / np.array(draws)[:, :1]
    found = [_between(np.array(values), players) for values in figures.values()]
    low, high = np.quantile(ratios, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], axis=0)
    return pd.DataFrame(
        {
            "statistic": list(figures), "exponent": [np.nan, np.nan, *(exponent for _, exponent in fits.values())],
            "information": np.array(found) / found[0], "information_low": low, "information_high": high,
            "n_players": len(players), "n_matches": len(sides), "n_decisions": sum(len(lost) for _, lost in sides),
        }
    ).round(3)  # fmt: skip


def fitted_exponents(sides: Sides) -> dict[Model, float]:
    """Return each model's exponent, fitted to a sample of all players' decisions."""
    sample = np.random.default_rng(SEED).permutation(np.concatenate([lost for _, lost in sides]))[:SAMPLE]
    start, options = np.log([0.05, 0.6]), {"maxiter": 60}
    return {
        model: float(np.exp(minimize(_cost, start, (model, sample), method="Nelder-Mead", options=options).x[1]))
        for model in (logit, power)
    }


def _cost(at: Floats, model: Model, sample: Floats) -> float:
    return float(model(sample, *np.exp(at)).sum())


def _scales(sides: Sides, model: Model, exponent: float) -> Floats:
    """Return the place among SCALES of each side's maximum of the likelihood, by a parabola through three of them."""
    every = np.concatenate([lost for _, lost in sides])
    numbers = np.repeat(np.arange(len(sides)), [len(lost) for _, lost in sides])
    costs = np.array([np.bincount(numbers, model(every, scale, exponent)) for scale in SCALES])
    best = np.clip(costs.argmin(axis=0), 1, len(SCALES) - 2)
    before, here, after = (costs[best + step, np.arange(len(sides))] for step in (-1, 0, 1))
    bend = np.maximum(before - 2 * here + after, 1e-12)
    return np.asarray(best + np.clip((before - after) / (2 * bend), -1, 1))


def _between(values: Floats, players: list[Any]) -> float:
    """Return the variance of ranks between players over that within players (one-way random effects)."""
    counts = np.array([len(group) for group in players])
    ranks = np.split(rankdata(values[np.concatenate(players)]), counts.cumsum()[:-1])
    usual = (counts.sum() - (counts**2).sum() / counts.sum()) / (len(counts) - 1)
    return float((f_oneway(*ranks).statistic - 1) / usual)


def _lost(equities: list[float], made: float) -> list[float]:
    """Return what the play made and each of the kept plays loses, infinite where there are fewer."""
    kept = [max(0.0, equities[0] - equity) for equity in equities]
    return [max(0.0, made), *kept, *[np.inf] * (PLAYS - 1 - len(kept))]


def of_people(decisions: pd.DataFrame) -> Sides:
    """Return the plays of those with two matches or more, the first MOST of each, from a table of `rate`."""
    plays = decisions[(decisions["candidates"] != "") & decisions["unforced"].astype(bool)]
    plays = plays[(plays["kind"] == "play") & (plays["player"] != "")]
    sides: dict[str, list[Floats]] = {}
    for _, rows in plays.groupby(["file", "match", "side"]):
        player = str(rows["player"].iloc[0])
        if len(rows) >= FEWEST and len(sides.setdefault(player, [])) < MOST:
            words = zip(rows["candidates"], rows["loss_emg"], strict=True)
            lost = [_lost([float(word.rsplit(" ", 1)[1]) for word in text.split(";")], made) for text, made in words]
            sides[player].append(np.array(lost))
    return [(player, lost) for player, matches in sides.items() if len(matches) > 1 for lost in matches]


def of_levels(engine: Engine, pairs: list[tuple[str, str]]) -> Iterator[tuple[str, Floats]]:
    """Play the first shard of pairs of DESIGN again, and yield both players' plays."""
    design = designs.design(DESIGN)
    for pair in pairs:
        point = design.point(*pair, LENGTH)
        with tempfile.TemporaryDirectory() as place:
            folder, texts = Path(place), Path(place, "texts")
            texts.mkdir()
            limits = Limits(3600.0, folder / "log")
            play_shard(engine, design.task(point, next(point.shards())), folder / "matches.zip", limits, texts)
            files = sorted(file.name for file in texts.iterdir())
            answer = analyse_files(engine, analysis("0-ply-no-luck"), files, texts, limits, actions=True)
        for match in answer.matches:
            actions = [action for game in match["games"] for action in game["actions"] if "plays" in action]
            for seat, level in zip("XO", pair, strict=True):
                own = [action for action in actions if action["seat"] == seat]
                if len(own) >= FEWEST:
                    lost = [_lost([play[1] for play in action["plays"]], action["error"]) for action in own]
                    yield level.partition("+")[0], np.array(lost)


@click.command()
@click.option("--decisions", required=True, type=PATH, help="decisions.parquet of `rate`: people's plays")
def command(decisions: Path) -> None:
    """Compare skill by a likelihood of plays with the mean error, for simulated players and for people."""
    engine = find_engine()
    columns = ["file", "match", "side", "player", "kind", "unforced", "loss_emg", "candidates"]
    people = of_people(pd.read_parquet(decisions, columns=columns))
    exponents = fitted_exponents(people)
    tables = [information(people, exponents, by_player=True).assign(group="people")]
    for group, pairs in SIMULATED.items():
        tables.append(information(list(of_levels(engine, pairs)), exponents, by_player=False).assign(group=group))
    path = committed_results(engine.known.nets) / "people-depth" / "likelihood.csv"
    write_table(pd.concat(tables), path, "people/likelihood", nets=engine.known.nets, analysis="0-ply")
