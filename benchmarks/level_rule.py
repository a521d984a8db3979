"""Judge whether the losses of a deeper level rate people.

The rule is that of docs/preregistration-checked-people.md.

`python benchmarks/level_rule.py VERSION` writes people/depth_rule.csv of an engine from the frozen
losses, in a minute.

The product's formula is for losses at 0-ply. For losses at a deeper level its coefficients are
divided by k, people's rates there over those at 0-ply (depth_ratios.py). Matches of an author
are rated with the k of the other authors. Matches that an earlier rule has seen have no say.
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from bgmatch.records import Json
from bgrating.pages.template import records
from bgrating.people.players import LEAST_DECISIONS, errors_of, stored_population
from bgrating.rating.choose import RatingModel
from bgrating.rating.fibs_formula import Floats, win_probability
from bgrating.rating.formula import RatingFormula, read_formula
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.rating.known import PEOPLE_VERSION
from bgrating.rating.player import losses, ratings
from bgrating.rating.population import shrink
from bgrating.rating.result_files import formula_of, population_table, results_of
from bgrating.rating.terms import MULTIPLIES
from bgrating.tables.dictionary import columns
from bgrating.tables.table_files import read_table, write_table
from study.people import LEVELS
from study.people.depth_ratios import DEEP, LOSSES, judged_twice, ratios, weighted_losses, weights
from study.people.factor import Differences, factor
from study.people.match_pairs import rates_elsewhere

# The bounds of the rule: of the excess squared error, of the mean shift in points, of its scatter
# in half-widths.
MOST_EXCESS, MOST_SHIFT, MOST_SCATTER = 0.05, 10.0, 1 / 3
THIRDS = ("lowest third of PR", "middle third of PR", "highest third of PR")
EXCESS, SHIFT, SCATTER = "excess squared error", "mean shift", "scatter of the shift"
OFFSET = 2050.0
# The rate of LOSSES that each rate of the formula's terms is.
RATES = {"epm": "epm", "epc": "cube_per_move"}


def at_level(sides: pd.DataFrame) -> pd.DataFrame:
    """Return the sides with the losses of the deeper level."""
    return sides.assign(**{loss: sides[loss + DEEP] for loss in LOSSES.values()})


def deeper(formula: RatingFormula, k: Mapping[str, Json]) -> RatingFormula:
    """Return the formula for losses at a level, from that for losses at 0-ply and k by rate
    (depth.ratios).
    """
    rates = [MULTIPLIES[term.partition("_")[0]] for term in formula.terms]
    return replace(
        formula, estimate=formula.estimate / [k[RATES[rate]]["factor"] for rate in rates]
    )


@dataclass(frozen=True)
class Trial:
    """Sides of matches judged at both levels, the formula for 0-ply, and for each author that with
    the others' k.
    """

    sides: pd.DataFrame
    model: RatingModel
    formulas: Mapping[str, RatingFormula]

    @classmethod
    def of(cls, sides: pd.DataFrame, model: RatingModel) -> "Trial":
        formulas = {
            str(group): deeper(model.formula, ratios(sides[sides["group"] != group]))
            for group in sides["group"].unique()
        }
        return cls(sides, model, formulas)

    def of_author(self, group: str) -> pd.DataFrame:
        return self.sides[self.sides["group"] == group]


def judged(sides: pd.DataFrame, model: RatingModel, field: pd.DataFrame) -> pd.DataFrame:
    """Return the measures of the rule, each with its interval and whether it holds
    (people/depth_rule).

    `sides` as from `depth.judged_twice`, `field` the matches of the stored field.
    """
    trial = Trial.of(sides, model)
    slopes = pr_slopes(sides)
    rows = [excess(trial), shift(trial), scatter(trial, field), *slopes]
    if not all(row["holds"] for row in slopes):
        rows += shift_by_third(trial)
        decided = [row for row in rows if row not in slopes]
    else:
        decided = rows
    verdict = {"measure": "all", "holds": all(row["holds"] for row in decided)}
    return pd.DataFrame([*rows, verdict], columns=columns("people/depth_rule"))


def _measure(name: str, value: float, without: Floats, bounds: tuple[float, float]) -> Json:
    """Return a row: a value, its jackknife, and whether it lies within bounds.

    The jackknife is by the values `without` each person.
    """
    people = len(without)
    error = float(np.sqrt((people - 1) * np.mean((without - without.mean()) ** 2)))
    half = quantile(CONFIDENCE, people - 1) * error
    low, high = bounds
    return {
        "measure": name,
        "estimate": value,
        "std_error": error,
        "ci_low": value - half,
        "ci_high": value + half,
        "confidence": CONFIDENCE,
        "least": low,
        "most": high,
        "holds": bool(low < value - half and value + half < high),
        "n_people": people,
    }


def _squares(sides: pd.DataFrame, formula: RatingFormula) -> float:
    """Return the squared errors of results in matches whose players both have another one, added
    up.

    A result is predicted from both players' errors in their other matches.
    """
    found = Differences.of(sides, formula)
    if not len(found.length):
        return 0.0
    count = np.bincount(found.players.ravel())[found.players]
    used = (count > 1).all(axis=1)
    off = found.result - (win_probability(found.elsewhere, found.length) - 0.5)
    return float(off[used] @ off[used])


def excess(trial: Trial) -> Json:
    """Return by how much larger the squared error of results is at the deeper level (a share)."""
    levels = {group: (trial.model.formula, formula) for group, formula in trial.formulas.items()}

    def squares(sides: pd.DataFrame, group: str) -> Floats:
        shallow, deep = levels[group]
        return np.array([_squares(sides, shallow), _squares(at_level(sides), deep)])

    own = {group: squares(trial.of_author(group), group) for group in levels}
    total = np.sum(list(own.values()), axis=0)
    without = []
    for group, squared in own.items():
        table = trial.of_author(group)
        for _, matches in table.groupby("player")["match"]:
            rest = table[~table["match"].isin(matches)]
            without.append(total - squared + squares(rest, group))
    left = np.array(without)
    return _measure(
        EXCESS, total[1] / total[0] - 1, left[:, 1] / left[:, 0] - 1, (-np.inf, MOST_EXCESS)
    )


def parts(sides: pd.DataFrame, model: RatingModel, *, by_match: bool = False) -> pd.DataFrame:
    """Return the points that chequer and cube errors cost each person (or side, if `by_match`) at
    both levels.

    Columns are the rates of LOSSES, those of the deeper level with DEEP, before they are divided by
    k.
    """
    number = np.arange(len(sides)) if by_match else pd.factorize(sides["player"], sort=True)[0]
    found = {}
    for name, rate in RATES.items():
        own = np.array([MULTIPLIES[term.partition("_")[0]] == name for term in model.formula.terms])
        formula = replace(model.formula, estimate=np.where(own, model.formula.estimate, 0.0))
        for table, suffix in ((sides, ""), (at_level(sides), DEEP)):
            found[rate + suffix] = losses(errors_of(table, model), number, formula)[
                "loss"
            ].to_numpy()
    return pd.DataFrame(found)


def shift(trial: Trial) -> Json:
    """Return the mean over people of how much higher the own rating is at the deeper level, in
    points.
    """
    return _mean_shift(SHIFT, trial.sides, _points(trial))


def _points(trial: Trial) -> pd.DataFrame:
    """Return the `parts` of everybody with decisions enough for a rating, by person."""
    person = pd.factorize(trial.sides["player"], sort=True)
    decisions = trial.sides["unforced_moves"] + trial.sides[trial.model.decisions]
    enough = decisions.groupby(person[0]).sum() >= LEAST_DECISIONS
    return parts(trial.sides, trial.model).set_index(person[1])[enough.to_numpy()].dropna()


def _mean_shift(name: str, sides: pd.DataFrame, points: pd.DataFrame) -> Json:
    """Return the mean shift of people's `points` (rows of `parts` by person).

    The jackknife refits k without each person.
    """
    author = sides.groupby("player")["group"].first()
    total = 0.0
    without = np.zeros(len(author))
    for group in sides["group"].unique():
        own = points[author[points.index].to_numpy() == group].reindex(author.index, fill_value=0.0)
        for rate, loss in LOSSES.items():
            others = weighted_losses(sides[sides["group"] != group], loss).reindex(
                author.index, fill_value=0.0
            )
            sums = others.sum()
            rest = sums - others
            shallow, deep = own[rate], own[rate + DEEP]
            total += shallow.sum() - deep.sum() / (sums["deep"] / sums["shallow"])
            without += (shallow.sum() - shallow) - (deep.sum() - deep) / (
                rest["deep"] / rest["shallow"]
            )
    counts = len(points) - author.index.isin(points.index)
    return _measure(
        name, total / len(points), np.asarray(without / counts), (-MOST_SHIFT, MOST_SHIFT)
    )


def pr_elsewhere(sides: pd.DataFrame) -> "pd.Series[float]":
    """Return each side's PR at 0-ply in the person's other matches, shrunk to their author's mean.

    It is NaN without any.
    """
    errors = sides[list(LOSSES.values())].sum(axis=1)
    decisions = sides["unforced_moves"] + sides["close_cube_decisions"]
    found = pd.Series(np.nan, sides.index)
    for _, own in sides.groupby("group"):
        number, _ = pd.factorize(own["player"])
        sums = (values[own.index].to_numpy(float) for values in (errors, decisions))
        found[own.index] = 500 * rates_elsewhere(number, *sums)
    matches = sides.groupby("player")["match"].transform("size")
    return found.where(matches > 1)


def pr_slopes(sides: pd.DataFrame) -> list[Json]:
    """Return the slopes of k on PR, one of each error rate."""
    pr = pr_elsewhere(sides)
    used = sides[pr.notna()]
    z = (pr.dropna() - pr.mean()).to_numpy(float)
    found = []
    for rate, loss in LOSSES.items():
        weight = weights(used, loss)
        shallow, deep = (weight * used[name].to_numpy(float) for name in (loss, loss + DEEP))
        columns_of = {
            "1": shallow,
            "z": shallow * z,
            "zz": shallow * z**2,
            "d": deep,
            "dz": deep * z,
        }
        sums = pd.DataFrame(columns_of).groupby(used["player"].to_numpy()).sum()
        value = _slope(sums.sum().to_frame().T)[0]
        without = _slope(sums.sum() - sums)
        found.append(
            _measure(f"slope of k on PR, {rate}", float(value), without, (-np.inf, np.inf))
        )
    for row in found:
        row["holds"] = bool(row["ci_low"] <= 0 <= row["ci_high"])
    return found


def _slope(sums: pd.DataFrame) -> Floats:
    """Return the slope of deep losses over shallow ones on z, by rows of sums."""
    return np.asarray(
        (sums["1"] * sums["dz"] - sums["z"] * sums["d"])
        / (sums["1"] * sums["zz"] - sums["z"] ** 2),
        dtype=float,
    )


def shift_by_third(trial: Trial) -> list[Json]:
    """Return the mean shift in each third of the people by PR.

    A person's matches of a third are averaged.
    """
    pr = pr_elsewhere(trial.sides)
    used = trial.sides[pr.notna()]
    third = _thirds(pr.dropna(), used["player"])
    points = parts(used, trial.model, by_match=True).set_index(used.index)
    found = []
    for name in THIRDS:
        here = points[third == name]
        people = here.groupby(used.loc[here.index, "player"]).mean().dropna()
        found.append(_mean_shift(f"{SHIFT}, {name}", trial.sides, people))
    return found


def _thirds(pr: "pd.Series[float]", player: "pd.Series[str]") -> "pd.Series[str]":
    """Return the third of each side by PR.

    All sides of a person weigh one together, so thirds have as many people.
    """
    weight = 1 / player.groupby(player).transform("size")
    ordered = weight[pr.sort_values(kind="stable").index]
    place = (ordered.cumsum() - ordered / 2) / ordered.sum()
    return pd.cut(place, [0, 1 / 3, 2 / 3, 1], labels=list(THIRDS)).reindex(pr.index).astype(str)


def scatter(trial: Trial, field: pd.DataFrame) -> Json:
    """Return the standard deviation over people of the shift of the shown rating, in half-widths of
    its interval.
    """
    held = stored_population(field, trial.model)
    assert held, "the kept field has players enough"
    shares = []
    for group, formula in trial.formulas.items():
        sides = trial.of_author(group)
        number, _ = pd.factorize(sides["player"])
        tables = [
            shrink(ratings(errors_of(table, trial.model), number, one, OFFSET), held, OFFSET)
            for table, one in ((sides, trial.model.formula), (at_level(sides), formula))
        ]
        half = (tables[0]["ci_high"] - tables[0]["ci_low"]) / 2
        shares.append((tables[1]["rating"] - tables[0]["rating"]) / half)
    share = np.concatenate(shares)
    share = share[np.isfinite(share)]
    value = float(share.std(ddof=1))
    return {
        "measure": SCATTER,
        "estimate": value,
        "most": MOST_SCATTER,
        "holds": value <= MOST_SCATTER,
        "n_people": len(share),
    }


def reported(trial: Trial) -> list[Json]:
    """Return the figures without a say.

    They are F at both levels, and the mean shift of each author with the others' k.
    """
    level = deeper(trial.model.formula, ratios(trial.sides))
    rows = []
    for name, table in (
        ("F at 0-ply", factor(trial.sides, trial.model.formula)),
        ("F at the level", factor(at_level(trial.sides), level)),
    ):
        for row in records(table):
            figures = {
                key: row[key]
                for key in ("estimate", "std_error", "ci_low", "ci_high", "confidence")
            }
            rows.append(
                {"measure": f"{name}, {row['group']}", **figures, "n_people": row["n_players"]}
            )
    points = _points(trial)
    author = trial.sides.groupby("player")["group"].first()
    for group in trial.formulas:
        row = _mean_shift(
            f"{SHIFT}, {group}", trial.sides, points[author[points.index].to_numpy() == group]
        )
        rows.append(
            row
            | {
                "holds": None,
                "least": None,
                "most": None,
                "n_people": int((author == group).sum()),
            }
        )
    return rows


def made(engine_version: str) -> pd.DataFrame:
    """Return the rule's measures and what is reported beside it, for the deeper level of an
    engine.
    """
    every = judged_twice(engine_version, LEVELS[engine_version])
    unseen = every[~every["seen"]]
    model = RatingModel(read_formula(formula_of(engine_version)), "")
    field = read_table(population_table(PEOPLE_VERSION))
    with_seen = judged(every, model, field)
    with_seen["measure"] = "with the matches seen before: " + with_seen["measure"]
    more = pd.DataFrame(reported(Trial.of(unseen, model)))
    return pd.concat([judged(unseen, model, field), more, with_seen], ignore_index=True)


if __name__ == "__main__":
    (engine_version,) = sys.argv[1:]
    rule = made(engine_version)
    write_table(
        rule,
        results_of(engine_version) / "people" / "depth_rule.csv",
        "people/depth_rule",
        nets=engine_version,
    )
    print(rule.to_string())
