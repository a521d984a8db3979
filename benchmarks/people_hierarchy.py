"""Judge a hierarchical model of people by leaving out one author at a time.

The model is author over person over match. `python benchmarks/people_hierarchy.py` writes
results/1.08/people/hierarchy.csv. Matches give a player's root (rating/population.py). Roots of
persons scatter round their author's, and authors' means round the common one. The results of a
left-out author are predicted from the players' other matches in three ways:

- `product`: the field is that of the author's own players, with the other authors as prior;
  differences as they are;
- `hierarchy`: the same, and differences times the mean slope of the other authors' results, whose
  slopes scatter;
- `common`: all authors are one field, without an author level.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.meta_analysis import combine_effects

from bgmatch.records import Json
from bgrating.people.players import errors_of
from bgrating.rating.choose import RatingModel, choose
from bgrating.rating.fibs_formula import Floats, win_probability
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.rating.player import losses
from bgrating.rating.population import Population, population_of, posterior
from bgrating.rating.result_files import results_of
from bgrating.tables.dictionary import columns
from bgrating.tables.table_files import write_table
from study.formula.regressions import chance_and_slope
from study.people.factor import ALL
from study.people.losses import frozen_losses

ENGINE_VERSION = "1.08"
WAYS = ("product", "hierarchy", "common")


@dataclass(frozen=True)
class Predicted:
    """Decided matches of an author whose players both have another one.

    They have results, lengths, players and differences.
    """

    result: Floats
    length: Floats
    players: pd.DataFrame
    difference: Floats

    def off(self, slope: float) -> Floats:
        """Return results less the chance that the difference times a slope gives."""
        return self.result - (win_probability(slope * self.difference, self.length) - 0.5)


def elsewhere(sides: pd.DataFrame, model: RatingModel) -> pd.DataFrame:
    """Return each side's `loss` and `moves` in the person's other matches.

    A person's only match has no row.
    """
    parts = []
    for _, own in sides.groupby("player"):
        if len(own) < 2:
            continue
        # A pseudo-player for each match: all other matches of the person.
        place = np.array(
            [[other for other in range(len(own)) if other != left] for left in range(len(own))]
        )
        number = np.repeat(np.arange(len(own)), len(own) - 1)
        found = losses(errors_of(own.iloc[place.ravel()], model), number, model.formula)
        parts.append(found[["loss", "moves"]].set_index(own.index))
    return pd.concat(parts)


def predicted(sides: pd.DataFrame, rest: pd.DataFrame, field: Population) -> Predicted:
    """Predict each match by the distributions of both players' roots in a field."""
    known = sides.join(rest, how="inner").dropna(subset=["loss", "luck_adjusted_result"])
    root = known["loss"].clip(lower=0).to_numpy(float) ** 0.25
    loss = posterior(root, field.scatter / known["moves"].to_numpy(float), field).fourth_power()
    table = (
        known.assign(expected=loss)
        .pivot_table(index="match", columns="side", values="expected")
        .dropna()
    )
    left = known[known["side"] == "left"].set_index("match").loc[table.index]
    right = known[known["side"] == "right"].set_index("match").loc[table.index]
    players = pd.DataFrame({"left": left["player"], "right": right["player"]})
    difference = (table["left"] - table["right"]).to_numpy(float)
    return Predicted(
        left["luck_adjusted_result"].to_numpy(float),
        left["match_length"].to_numpy(float),
        players,
        difference,
    )


def slope_of(parts: dict[str, Predicted]) -> float:
    """Return the mean over authors of the slope of measured on predicted differences, by random
    effects.

    statsmodels' MixedLM does not converge for three authors, since the variance of their slopes is
    at its boundary. So each author has a slope by least squares, and Paule and Mandel's method
    combines them.
    """
    slopes, variances = [], []
    for part in parts.values():
        chance, slope = chance_and_slope(part.difference, part.length)
        x = slope * part.difference
        fit = OLS(part.result - (chance - 0.5) + x, x).fit(cov_type="HC1")
        slopes.append(float(fit.params[0]))
        variances.append(float(fit.bse[0]) ** 2)
    return float(
        combine_effects(np.array(slopes), np.array(variances), method_re="pm").mean_effect_re
    )


def without_each_person(squares: Floats, players: pd.DataFrame) -> Floats:
    """Return the sum of squares without the matches of each person."""
    people = pd.unique(players.to_numpy().ravel())
    return np.array(
        [squares[~(players == person).any(axis=1).to_numpy()].sum() for person in people]
    )


def predictions(sides: pd.DataFrame, model: RatingModel) -> dict[str, dict[str, Predicted]]:
    """Return the predictions of each way by author.

    `product` and `hierarchy` have the same differences.
    """
    by_author = {str(author): own for author, own in sides.groupby("group")}
    players = {
        author: losses(errors_of(own, model), pd.factorize(own["player"])[0], model.formula)
        for author, own in by_author.items()
    }
    every = population_of(pd.concat(players.values()))
    assert every, "four collections are a field"
    found: dict[str, dict[str, Predicted]] = {way: {} for way in WAYS}
    for author, own in by_author.items():
        prior = population_of(
            pd.concat([table for name, table in players.items() if name != author])
        )
        field = population_of(players[author], prior)
        assert field, "a collection with a prior is a field"
        rest = elsewhere(own, model)
        found["product"][author] = found["hierarchy"][author] = predicted(own, rest, field)
        found["common"][author] = predicted(own, rest, every)
    return found


def judged(found: dict[str, dict[str, Predicted]]) -> pd.DataFrame:
    """Return the squared error of each way by left-out author, and over all (people/hierarchy)."""
    rows = []
    squares: dict[str, dict[str, Floats]] = {way: {} for way in WAYS}
    people = {author: part.players for author, part in found["product"].items()}
    for author in people:
        slope = slope_of(
            {name: part for name, part in found["hierarchy"].items() if name != author}
        )
        for way in WAYS:
            part = found[way][author]
            used = slope if way == "hierarchy" else 1.0
            squares[way][author] = part.off(used) ** 2
            about = {"author": author, "way": way, "slope": used, "n_matches": len(part.length)}
            rows.append(about | {"squared_error": float(np.mean(squares[way][author]))})
    rows += [_over_all(way, squares[way], squares["product"], people) for way in WAYS]
    return pd.DataFrame(rows, columns=columns("people/hierarchy"))


def _over_all(
    way: str, squares: dict[str, Floats], base: dict[str, Floats], people: dict[str, pd.DataFrame]
) -> Json:
    """Return the row of a way over all authors.

    It has the mean squared error, and its difference from that of `base`.
    """
    gain = {author: squares[author] - base[author] for author in squares}
    total = sum(float(own.sum()) for own in gain.values())
    matches = sum(map(len, gain.values()))
    without = np.concatenate(
        [
            total - own.sum() + without_each_person(own, people[author])
            for author, own in gain.items()
        ]
    )
    error = float(np.sqrt((len(without) - 1) * np.mean((without - without.mean()) ** 2))) / matches
    half = quantile(CONFIDENCE, len(without) - 1) * error
    return {
        "author": ALL,
        "way": way,
        "n_matches": matches,
        "squared_error": sum(float(own.sum()) for own in squares.values()) / matches,
        "difference": total / matches,
        "std_error": error,
        "ci_low": total / matches - half,
        "ci_high": total / matches + half,
        "confidence": CONFIDENCE,
    }


if __name__ == "__main__":
    table = judged(predictions(frozen_losses(ENGINE_VERSION), choose("fitted", ENGINE_VERSION)))
    write_table(
        table,
        results_of(ENGINE_VERSION) / "people" / "hierarchy.csv",
        "people/hierarchy",
        nets=ENGINE_VERSION,
    )
    print(table.to_string())
