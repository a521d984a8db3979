"""What the tables say, in words with figures: does the formula hold for people, within what error, for whom not."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pandas as pd

from bgrating.people.rating_answers import conversions, recorded
from bgrating.people.shape import none_share, tail_shares
from bgrating.people.sources import FITTED, PUBLISHED, RECOMMENDED, best_of
from bgrating.people.tables import Check
from bgrating.people.wording import cannot, records, said, verdict
from bgrating.report.words import milli, number

BLUNDER = 0.128
"""An error (EMG) that counts as large here: an edge of the bins."""


class Answer(NamedTuple):
    """A question and what the collection says of it, in sentences; `known` tells whether it says anything."""

    question: str
    sentences: list[str]
    known: bool


def answers(check: Check) -> list[Answer]:
    """Answer every question from the tables; where the collection cannot, say why."""
    asked = [
        ("Do people's errors cost what noise's cost?", _cost),
        ("How far do single matches mislead?", _hidden),
        ("Do estimated ratings agree with recorded ones?", recorded),
        ("Do error rates predict the next match?", _prediction),
        ("For whom does it not hold?", _whom),
        ("Are people's errors shaped like noise's?", _shape),
        ("How do the measures convert?", conversions),
    ]
    found = []
    for question, answer in asked:
        sentences = list(answer(check))
        known = bool(sentences) and not sentences[0].startswith("This collection cannot say")
        found.append(Answer(question, sentences, known))
    return found


def in_short(check: Check) -> list[str]:
    """Say in three sentences whether the formula holds for people, within what error, and where not."""
    table = check.tables["whom"]
    best = best_of({*table["formula"], PUBLISHED})
    short = [
        f"By the errors of their other matches people's rating differences are "
        f"{said(row, 'instrumented', 'instrumented')} times what the formula says, in luck-adjusted results of "
        f"{row['n_matches']} matches (formula “{best}”)."
        for row in records(table, formula=best, group="all matches")
        if pd.notna(row["instrumented"])
    ]
    short += [
        f"An error costs people {said(row, 'ratio', 'ratio')} times what it costs noise as good as they are, in "
        f"luck-adjusted results of {row['n_matches']} matches (formula “{best}”): "
        f"{verdict(row['ratio_low'], row['ratio_high'])}."
        for row in records(table, formula=best, group="all matches")
        if pd.notna(row["ratio"])
    ]
    short += [
        f"A rating from errors and a rating recorded by {row['site']} differ by {number(row['value'])} points "
        f"(standard deviation) beyond the known errors of both ({row['n_players']} players)."
        for row in records(check.tables["calibration"], quantity="scatter", players="all")
    ]
    tail = tail_shares(check.tables["sizes"], "chequer play", "everybody", BLUNDER)
    if "noise" in tail:
        short.append(
            f"People do not err like noise: in chequer play errors of {BLUNDER * 1000:.0f} milli-EMG and more are "
            f"{tail['people'][1]:.0%} of their loss and {tail['noise'][1]:.0%} of that of noise which loses as much."
        )
    return short or ["The collection is too small, or lacks luck analysis, to compare people with noise."]


def _cost(check: Check) -> Iterator[str]:
    table = check.tables["whom"]
    rows = {name: records(table, formula=name, group="all matches") for name in (PUBLISHED, FITTED, RECOMMENDED)}
    if not any(rows.values()):
        yield cannot(check, "30 decided matches with a luck analysis are needed")
        return
    for name, found in rows.items():
        for row in found:
            if pd.notna(row["instrumented"]):
                yield (
                    f"With the formula “{name}” and the errors of the players' other matches as instrument, people's "
                    f"errors cost {said(row, 'instrumented', 'instrumented')} times what it says "
                    f"({row['n_matches']} matches)."
                )
            text = (
                f"With the formula “{name}” people's errors cost {said(row, 'multiplier')} times what it says, "
                f"from {row['n_matches']} single matches"
            )
            if pd.notna(row["ratio"]):
                text += (
                    f"; the same fit finds {number(row['simulated'], 2)} for noise as good as they are, so the "
                    f"ratio is {said(row, 'ratio', 'ratio')}: "
                    f"{verdict(row['ratio_low'], row['ratio_high'])}"
                )
            yield text + "."
        for row in found[:1]:
            if name == PUBLISHED and pd.notna(row["net_luck"]):
                yield (
                    f"A check: the busiest player's luck less the opponents' is {said(row, 'net_luck', 'net_luck', 3)} "
                    f"of a match in the mean, and must be about nothing ({row['n_matches']} matches in all)."
                )
    factors = check.tables["factors"]
    for cube, words in (("epc", "per close decision"), ("epc_games", "per game")):
        for source in ("part2", "part2, as good as people"):
            parts = [
                f"{what} {said(row, 'ratio', 'ratio')}"
                for term, what in (("a2", "chequer play"), ("b", f"the cube ({words})"))
                for row in records(factors, source=source, cube_rate=cube, match_length=0, term=term)
            ]
            if parts:
                count = records(factors, source=source, cube_rate=cube, match_length=0, term="a2")[0]["n_matches"]
                whose = "noise" if source == "part2" else "noise as good as people"
                yield f"Apart, people over {whose}, {count} matches at lengths that both have: {', '.join(parts)}."


def _hidden(check: Check) -> Iterator[str]:
    factors = check.tables["factors"]
    single = factors[(factors["match_length"] > 0) & factors["factor"].notna()]
    if single.empty:
        yield cannot(check, "no match length is held by people and by simulated matches often enough")
        return
    for cube, words in (("epc", "EPC"), ("epc_games", "cube error per game")):
        own = single[single["cube_rate"] == cube]
        ends = [
            (own.loc[own["term"] == t, "factor"].min(), own.loc[own["term"] == t, "factor"].max()) for t in ("a2", "b")
        ]
        yield (
            f"In simulated matches, where the truth is known, a fit of single matches with {words} finds "
            f"{number(ends[0][0], 2)} to {number(ends[0][1], 2)} times the true coefficient of chequer play and "
            f"{number(ends[1][0], 2)} to {number(ends[1][1], 2)} times that of the cube."
        )
    for row in records(check.tables["identity"], source="people"):
        yield (
            f"A match's luck-adjusted result is largely what gnubg counts for its errors: correlation "
            f"{number(row['correlation'], 2)}, standard deviation of the rest {number(row['sd'], 3)} MWC, "
            f"{row['n_matches']} matches. So single matches say what errors cost, not how strength shows."
        )
    for row in records(factors, source="part2, as good as people", match_length=0, cube_rate="epc"):
        what = "a2" if row["term"] == "a2" else "b"
        yield (
            f"With that taken out, people's {what} would be {said(row, 'implied', 'implied')} times the published one "
            f"({row['n_matches']} matches of people)."
        )


def _prediction(check: Check) -> Iterator[str]:
    table, slopes = check.tables["scores"], check.tables["slopes"]
    if table.empty:
        yield cannot(check, "50 decided matches with a luck analysis are needed")
        return
    for subset in table["subset"].unique():
        rows = records(table, subset=subset, measure="log loss", results="luck-adjusted")
        plain = {row["predictor"]: row for row in records(table, subset=subset, measure="log loss", results="won")}
        gains = "; ".join(
            f"{row['predictor']} {said(row, 'gain', 'gain', 1, 1000)} "
            f"(matches won: {said(plain[row['predictor']], 'gain', 'gain', 1, 1000)})"
            for row in rows
        )
        yield (
            f"{subset.capitalize()} ({rows[0]['n_matches']}): log loss better than a coin's 0.693 by, in thousandths, "
            f"luck-adjusted: {gains}."
        )
    for row in records(slopes, subset="all matches", results="luck-adjusted"):
        if row["predictor"] in (PUBLISHED, RECOMMENDED):
            yield (
                f"Differences found are {said(row, 'slope')} times those "
                f"predicted by “{row['predictor']}” ({row['n_matches']} matches, luck-adjusted results)."
            )


def _whom(check: Check) -> Iterator[str]:
    table = check.tables["whom"]
    best = best_of({*table["formula"], PUBLISHED})
    rows = [row for row in records(table, formula=best) if row["group"] != "all matches" and pd.notna(row["ratio"])]
    if not rows:
        yield cannot(check, "no group of 30 decided matches with a luck analysis")
        return
    off = [row for row in rows if row["ratio_low"] > 1 or row["ratio_high"] < 1]
    yield (
        f"Of {len(rows)} groups of matches (lengths, sites, strength, the busiest player in and out) {len(off)} differ "
        f"from noise at 90 % confidence; by chance about {number(len(rows) / 10)} would (formula “{best}”)."
    )
    for row in off:
        yield (f"{row['group']}: people over noise {said(row, 'ratio', 'ratio')} ({row['n_matches']} matches).")


def _shape(check: Check) -> Iterator[str]:
    sizes, kinds = check.tables["sizes"], check.tables["kinds"]
    if sizes.empty:
        yield f"This collection cannot say: 2,000 unforced moves are needed ({check.matches} matches)."
        return
    for what in ("chequer play", "cube"):
        tail, none = tail_shares(sizes, what, "everybody", BLUNDER), none_share(sizes, what, "everybody")
        first = records(sizes, what=what, group="everybody", source="people")[0]
        lost = milli(first["error_rate"])
        if "noise" not in tail:
            yield f"{what.capitalize()}: no noise that was played loses as people do, {lost} milli-EMG per decision."
            continue
        yield (
            f"{what.capitalize()}, at the same {lost} milli-EMG per decision: people make no error in "
            f"{none['people']:.1%} of decisions, noise in {none['noise']:.1%}; errors of {BLUNDER * 1000:.0f} "
            f"milli-EMG and more are {tail['people'][1]:.0%} of people's loss and {tail['noise'][1]:.0%} of noise's "
            f"({first['n_matches']} matches of people)."
        )
    both = {
        kind: {row["source"]: row for row in records(kinds, group="everybody", kind=kind)}
        for kind in kinds["kind"].unique()
    }
    far = [
        f"{kind.replace('_', ' ')} {_share(row['people'])} against {_share(row['noise'])}"
        for kind, row in both.items()
        if len(row) == 2 and _apart(row["people"], row["noise"])
    ]
    if far:
        yield f"Shares of the loss that differ, in %, people against noise: {'; '.join(far)}."


def _share(row: Mapping[str, Any]) -> str:
    return said(row, "share", "share", 0, 100)


def _apart(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return bool(one["share_low"] > other["share_high"] or one["share_high"] < other["share_low"])
