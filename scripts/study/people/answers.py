"""What the tables say, in words with figures: does the formula hold for people, within what error."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pandas as pd

from bgrating.pages.words import between, milli, number
from bgrating.rating.compared import LAW, called
from bgrating.rating.formula import MEASURED
from study.people.conversions import ESTIMATED, GNUBG_2003, GNUBG_PER_SNOWIE, RECORDED, SNOWIE, XG
from study.people.scale import ALL, ASSUMPTIONS, TOGETHER
from study.people.tables import Check

BLUNDER = 0.128
"""An error (EMG) that counts as large here: an edge of the bins."""


class Finding(NamedTuple):
    """One line of an answer: what was found, the figure with its interval, and the matches or players behind it.

    A line that says why a collection cannot answer has no figure.
    """

    what: str
    figure: str = ""
    behind: str = ""


class Answer(NamedTuple):
    """A question and what the collection says of it."""

    question: str
    findings: list[Finding]

    @property
    def known(self) -> bool:
        """Tell whether the collection says anything."""
        return bool(self.findings) and self.findings[0].figure != ""


def answers(check: Check) -> list[Answer]:
    """Answer every question from the tables; where the collection cannot, say why."""
    asked = {
        "Do people's errors cost what noise's cost?": (_cost, "30 decided matches with a luck analysis"),
        "Do estimated ratings agree with recorded ones?": (
            _recorded,
            "eight players of one site with recorded ratings",
        ),
        "Do error rates predict the next match?": (_prediction, "50 decided matches with a luck analysis"),
        "Are people's errors shaped like noise's?": (_shape, "2,000 unforced moves"),
        "How do the measures convert?": (_conversions, "eight rated players"),
    }
    found = []
    for question, (answer, needed) in asked.items():
        held = f"{needed} are needed (it has {check.decided} decided matches with luck)"
        cannot = Finding(f"This collection cannot say: {held}.")
        found.append(Answer(question, list(answer(check.tables)) or [cannot]))
    return found


def in_short(check: Check) -> list[str]:
    """Give the answer in a few sentences."""
    short = [
        f"Errors cost the people of these {number(row['n_matches'])} matches {_said(row, 'estimate')} times what the "
        f"formula gives. {_verdict(row['ci_low'], row['ci_high'])}"
        for row in _records(check.tables["scale"], group=ALL, estimator=TOGETHER)
    ]
    short += [
        f"A rating from errors and a rating recorded by {row['site']} differ by {number(row['value'])} points "
        f"(standard deviation) beyond the known errors of both ({row['n_players']} players)."
        for row in _records(check.tables["calibration"], quantity="scatter")[:1]
    ]
    tail = _loss_by_blunders(check.tables["sizes"], "chequer play")
    if "noise" in tail:
        short.append(
            f"People do not err like noise. Errors of {BLUNDER * 1000:.0f} milli-EMG and more are {tail['people']:.0%} "
            f"of their loss in chequer play. For noise that loses as much they are {tail['noise']:.0%}."
        )
    return short or ["The collection is too small, or lacks luck analysis, to compare people with noise."]


def _verdict(low: float, high: float) -> str:
    if low > 1:
        return "That is more than noise's errors cost."
    if high < 1:
        return "That is less than noise's errors cost."
    return "So ratings take the formula as it is, and intervals of differences allow for this uncertainty."


def _records(table: pd.DataFrame, **wanted: Any) -> list[dict[str, Any]]:
    """Return the rows of a table in which the named columns have the wanted values."""
    for name, value in wanted.items():
        table = table[table[name] == value]
    return [{str(k): v for k, v in row.items()} for row in table.to_dict("records")]


def _said(row: Mapping[str, Any], value: str = "value", ends: str = "ci", decimals: int = 2, scale: float = 1.0) -> str:
    """Write a figure of a row with its interval."""
    low, high = (None if pd.isna(row[f"{ends}_{end}"]) else scale * row[f"{ends}_{end}"] for end in ("low", "high"))
    return f"{number(scale * row[value], decimals)} {between(low, high, decimals)}"


def _count(row: Mapping[str, Any], *what: str) -> str:
    """Write how many players and matches are behind a row: "30 players, 120 matches"."""
    return ", ".join(f"{number(row[f'n_{name}'])} {name}" for name in what or ("players", "matches"))


def _cost(tables: Mapping[str, pd.DataFrame]) -> Iterator[Finding]:
    for row in _records(tables["scale"], group=ALL, estimator=TOGETHER):
        yield Finding("times what the formula gives: all estimators together", _said(row, "estimate"), _count(row))
    for row in _records(tables["scale"], group=ALL):
        if row["estimator"] != TOGETHER:
            what = (
                f"times what the formula gives: {row['estimator']} ({ASSUMPTIONS[row['estimator']]}); its bias in "
                f"simulated matches {number(row['bias'], 2)}, its 90 % intervals hold there in "
                f"{row['coverage_by_player']:.0%}"
            )
            yield Finding(what, _said(row, "estimate"), _count(row))
    for row in _records(tables["scale"], estimator=TOGETHER):
        if row["group"] != ALL:
            yield Finding(f"times what the formula gives: {row['group']}", _said(row, "estimate"), _count(row))


def _recorded(tables: Mapping[str, pd.DataFrame]) -> Iterator[Finding]:
    words = {
        "offset": ("the offset that makes estimates agree with recorded ratings on average", 0, 1),
        "slope, estimate on recorded": (
            "slope (1 where the scale is right), noise of recorded ratings taken out",
            2,
            1,
        ),
        "slope, recorded on estimate": ("slope of recorded on estimated ratings, noise of estimates taken out", 2, 1),
        "correlation": ("correlation", 2, 1),
        "correlation, noise taken out": ("correlation, with the noise of both taken out", 2, 1),
        "scatter": ("points by which both differ beyond their known errors, standard deviation", 0, 1),
        "coverage": ("% of recorded ratings inside 90 % intervals of the errors of both and that scatter", 0, 100),
    }
    for row in _records(tables["calibration"]):
        what, decimals, scale = words[row["quantity"]]
        yield Finding(f"{row['site']}: {what}", _said(row, decimals=decimals, scale=scale), _count(row))


def _prediction(tables: Mapping[str, pd.DataFrame]) -> Iterator[Finding]:
    table = tables["scores"]
    for subset in table["subset"].unique():
        for results, words in (("luck-adjusted", "luck-adjusted results"), ("won", "matches won")):
            rows = _records(table, subset=subset, measure="log loss", results=results)
            for row in sorted(rows, key=lambda row: row["predictor"] != LAW):  # the others as they come
                name = called(row["predictor"])
                what = f"thousandths of log loss better than a coin (693): {name}, {subset}, {words}"
                yield Finding(what, _said(row, "gain", "gain", 1, 1000), _count(row, "matches"))


def _shape(tables: Mapping[str, pd.DataFrame]) -> Iterator[Finding]:
    sizes, kinds = tables["sizes"], tables["kinds"]
    for what in sizes["what"].unique():
        tail = _loss_by_blunders(sizes, what)
        none = {row["source"]: row["share"] for row in _records(sizes, what=what, bin=0)}
        first = _records(sizes, what=what, source="people")[0]
        lost = f"{milli(first['error_rate'])} milli-EMG per decision"
        if "noise" not in tail:
            yield Finding(f"{what}: no noise that was played loses as people do", lost, _count(first, "matches"))
            continue
        for words, share in (
            ("% of decisions without an error", none),
            (f"% of the loss by errors of {BLUNDER * 1000:.0f} milli-EMG and more", tail),
        ):
            figure = f"{number(100 * share['people'], 1)} against {number(100 * share['noise'], 1)}"
            yield Finding(f"{words}: people against noise, {what}, both at {lost}", figure, _count(first, "matches"))
    for kind in kinds["kind"].unique():
        row = {one["source"]: one for one in _records(kinds, kind=kind)}
        if len(row) == 2:
            people, noise = (_said(row[source], "share", "share", 0, 100) for source in ("people", "noise"))
            what = f"% of the loss by {kind.replace('_', ' ')}: people against noise"
            yield Finding(what, f"{people} against {noise}", _count(row["people"], "matches"))


def _loss_by_blunders(sizes: pd.DataFrame, what: str) -> dict[str, float]:
    """Return, by source, the share of the loss in errors of at least BLUNDER."""
    own = sizes[(sizes["what"] == what) & (sizes["from_emg"] >= BLUNDER - 1e-12)]
    return {str(source): float(share) for source, share in own.groupby("source")["loss_share"].sum().items()}


def _conversions(tables: Mapping[str, pd.DataFrame]) -> Iterator[Finding]:
    rows = {row["conversion"]: row for row in _records(tables["conversions"])}
    for name, words in (
        (SNOWIE, "Snowie's error rate per PR"),
        (GNUBG_2003, "gnubg's rate per PR with the close decisions of 2003 (2 by definition with today's)"),
        (GNUBG_PER_SNOWIE, "gnubg's rate over Snowie's; the manual has 1.4, and 2007 nearer 2"),
        (XG, "eXtreme Gammon's own PR over gnubg's, in the matches that it has analysed"),
        (ESTIMATED, "points by which estimated ratings change per PR; XG's author has -33"),
        (RECORDED, "points by which recorded ratings change per PR; XG's author has -33"),
    ):
        if name in rows:
            decimals = 1 if name in (ESTIMATED, RECORDED) else 3
            yield Finding(words, _said(rows[name], "estimate", decimals=decimals), _count(rows[name]))
    for row in _records(tables["pr_gap"]):
        rest = "" if row["based_on"] == MEASURED else f"; {row['based_on']}"
        what = (
            f"% of {row['match_length']}-point matches won by the side that is 6 PR worse, by the chosen formula (XG's "
            f"author: {number(100 * row['xg_says'])}{rest})"
        )
        yield Finding(what, _said(row, "chance", "chance", 0, 100), _count(row))
