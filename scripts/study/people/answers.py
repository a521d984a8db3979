"""What the tables say, in words with figures: does the formula hold for people, within what error, for whom not."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pandas as pd

from bgrating.pages.words import milli, number
from bgrating.rating.compared import LAW, PUBLISHED, best_of, called
from study.people.findings import Finding, cannot, conversions, count_of, recorded, records, said, verdict
from study.people.tables import Check

BLUNDER = 0.128
"""An error (EMG) that counts as large here: an edge of the bins."""


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
        "Do people's errors cost what noise's cost?": _cost,
        "How far do single matches mislead?": _hidden,
        "Do estimated ratings agree with recorded ones?": recorded,
        "Do error rates predict the next match?": _prediction,
        "For whom does it not hold?": _whom,
        "Are people's errors shaped like noise's?": _shape,
        "How do the measures convert?": conversions,
    }
    return [Answer(question, list(answer(check))) for question, answer in asked.items()]


def in_short(check: Check) -> list[str]:
    """Say in three sentences whether the formula holds for people, within what error, and where not."""
    table = check.tables["whom"]
    best = best_of({*table["formula"], PUBLISHED})
    short = []
    for row in records(table, formula=best, group="all matches"):
        results = f"in luck-adjusted results of {row['n_matches']} matches ({called(best)})"
        if pd.notna(row["instrumented"]):
            short.append(
                f"With the errors of their other matches as instrument people's rating differences are "
                f"{said(row, 'instrumented', 'instrumented')} times what the formula says, {results}."
            )
        if pd.notna(row["ratio"]):
            short.append(
                f"An error costs people {said(row, 'ratio', 'ratio')} times what it costs noise as good as they are, "
                f"{results}: {verdict(row['ratio_low'], row['ratio_high'])}."
            )
    short += [
        f"A rating from errors and a rating recorded by {row['site']} differ by {number(row['value'])} points "
        f"(standard deviation) beyond the known errors of both ({row['n_players']} players)."
        for row in sorted(
            records(check.tables["calibration"], quantity="scatter", players="all"), key=lambda row: -row["n_players"]
        )[:1]
    ]
    tail = _loss_by_blunders(check.tables["sizes"], "chequer play")
    if "noise" in tail:
        short.append(
            f"People do not err like noise: in chequer play errors of {BLUNDER * 1000:.0f} milli-EMG and more are "
            f"{tail['people']:.0%} of their loss and {tail['noise']:.0%} of that of noise which loses as much."
        )
    return short or ["The collection is too small, or lacks luck analysis, to compare people with noise."]


def _cost(check: Check) -> Iterator[Finding]:
    table = check.tables["whom"]
    rows = {name: records(table, formula=name, group="all matches") for name in (LAW, PUBLISHED)}
    if not any(rows.values()):
        yield cannot(check, "30 decided matches with a luck analysis are needed")
        return
    for name, row in ((name, row) for name, found in rows.items() for row in found):
        behind = count_of(row)
        if pd.notna(row["instrumented"]):
            what = f"times what {called(name)} says, the errors of the players' other matches as instrument"
            yield Finding(what, said(row, "instrumented", "instrumented"), behind)
        if pd.notna(row["instrumented_ratio"]):
            itself = number(row["instrumented_simulated"], 2)
            what = f"times what noise as good as they are costs, found so too (itself {itself} times {called(name)})"
            yield Finding(what, said(row, "instrumented_ratio", "instrumented_ratio"), behind)
        yield Finding(f"times what {called(name)} says, from single matches", said(row, "multiplier"), behind)
        if pd.notna(row["ratio"]):
            what = (
                f"times what noise as good as they are costs (itself {number(row['simulated'], 2)} times "
                f"{called(name)} in such a fit): {verdict(row['ratio_low'], row['ratio_high'])}"
            )
            yield Finding(what, said(row, "ratio", "ratio"), behind)
    for row in rows[PUBLISHED][:1]:
        if pd.notna(row["net_luck"]):
            what = "of a match: the busiest player's luck less the opponents' in the mean, a check that must be near 0"
            yield Finding(what, said(row, "net_luck", "net_luck", 3), count_of(row))
    for cube, words in (("epc", "per close decision"), ("epc_games", "per game")):
        for source, whose in (("part2", "noise's"), ("part2, as good as people", "that of noise as good as people")):
            for term, part in (("a2", "chequer play"), ("b", f"the cube ({words})")):
                for row in records(check.tables["factors"], source=source, cube_rate=cube, match_length=0, term=term):
                    what = f"times {whose}, {part} alone, lengths that both have"
                    yield Finding(what, said(row, "ratio", "ratio"), count_of(row))


def _hidden(check: Check) -> Iterator[Finding]:
    factors = check.tables["factors"]
    single = factors[(factors["match_length"] > 0) & factors["factor"].notna()]
    if single.empty:
        yield cannot(check, "no match length is held by people and by simulated matches often enough")
        return
    for cube, words in (("epc", "EPC"), ("epc_games", "cube error per game")):
        for term, part in (("a2", "chequer play"), ("b", "the cube")):
            own = single.loc[(single["cube_rate"] == cube) & (single["term"] == term), "factor"]
            yield Finding(
                f"times the true coefficient of {part}, by single simulated matches with {words}, over match lengths",
                f"{number(own.min(), 2)} to {number(own.max(), 2)}",
                f"{len(own)} match lengths",
            )
    for row in records(check.tables["identity"], source="people"):
        what = (
            "correlation of a match's luck-adjusted result with what gnubg counts for its errors, standard deviation "
            f"of the rest {number(row['sd'], 3)} MWC: single matches say what errors cost, not how strength shows"
        )
        yield Finding(what, number(row["correlation"], 2), count_of(row))
    for row in records(factors, source="part2, as good as people", match_length=0, cube_rate="epc"):
        what = f"times the published {'a2' if row['term'] == 'a2' else 'b'} would be people's, with that taken out"
        yield Finding(what, said(row, "implied", "implied"), count_of(row))


def _prediction(check: Check) -> Iterator[Finding]:
    table, slopes = check.tables["scores"], check.tables["slopes"]
    if table.empty:
        yield cannot(check, "50 decided matches with a luck analysis are needed")
        return
    for subset in table["subset"].unique():
        for results, words in (("luck-adjusted", "luck-adjusted results"), ("won", "matches won")):
            rows = records(table, subset=subset, measure="log loss", results=results)
            for row in sorted(rows, key=lambda row: row["predictor"] != LAW):  # the others as they come
                name = called(row["predictor"])
                what = f"thousandths of log loss better than a coin (693): {name}, {subset}, {words}"
                yield Finding(what, said(row, "gain", "gain", 1, 1000), count_of(row))
    for row in records(slopes, subset="all matches", results="luck-adjusted"):
        if row["predictor"] in (PUBLISHED, LAW):
            what = f"times the difference that {called(row['predictor'])} predicts is found, luck-adjusted results"
            yield Finding(what, said(row, "slope"), count_of(row))


def _whom(check: Check) -> Iterator[Finding]:
    table = check.tables["whom"]
    best = best_of({*table["formula"], PUBLISHED})
    rows = [row for row in records(table, formula=best) if row["group"] != "all matches" and pd.notna(row["ratio"])]
    if not rows:
        yield cannot(check, "no group of 30 decided matches with a luck analysis")
        return
    off = [row for row in rows if row["ratio_low"] > 1 or row["ratio_high"] < 1]
    yield Finding(
        "groups of matches (lengths, sites, strength, the busiest player in and out) differ from noise at 90 % "
        f"confidence; by chance about {number(len(rows) / 10)} would ({called(best)})",
        f"{len(off)} of {len(rows)}",
        f"{len(rows)} groups",
    )
    for row in off:
        yield Finding(f"times noise's: {row['group']}", said(row, "ratio", "ratio"), count_of(row))


def _shape(check: Check) -> Iterator[Finding]:
    sizes, kinds = check.tables["sizes"], check.tables["kinds"]
    if sizes.empty:
        yield cannot(check, "2,000 unforced moves are needed")
        return
    for what in ("chequer play", "cube"):
        tail = _loss_by_blunders(sizes, what)
        none = {row["source"]: row["share"] for row in records(sizes, what=what, group="everybody", bin=0)}
        first = records(sizes, what=what, group="everybody", source="people")[0]
        lost = f"{milli(first['error_rate'])} milli-EMG per decision"
        if "noise" not in tail:
            yield Finding(f"{what}: no noise that was played loses as people do", lost, count_of(first))
            continue
        for words, share in (
            ("% of decisions without an error", none),
            (f"% of the loss by errors of {BLUNDER * 1000:.0f} milli-EMG and more", tail),
        ):
            figure = f"{number(100 * share['people'], 1)} against {number(100 * share['noise'], 1)}"
            yield Finding(f"{words}: people against noise, {what}, both at {lost}", figure, count_of(first))
    for kind in kinds["kind"].unique():
        row = {one["source"]: one for one in records(kinds, group="everybody", kind=kind)}
        if len(row) == 2 and _apart(row["people"], row["noise"]):
            people, noise = (said(row[source], "share", "share", 0, 100) for source in ("people", "noise"))
            what = f"% of the loss by {kind.replace('_', ' ')}: people against noise"
            yield Finding(what, f"{people} against {noise}", count_of(row["people"]))


def _loss_by_blunders(sizes: pd.DataFrame, what: str) -> dict[str, float]:
    """Return, by source, the share of everybody's loss in errors of at least BLUNDER."""
    own = sizes[(sizes["what"] == what) & (sizes["group"] == "everybody") & (sizes["from_emg"] >= BLUNDER - 1e-12)]
    return {str(source): float(share) for source, share in own.groupby("source")["loss_share"].sum().items()}


def _apart(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return bool(one["share_low"] > other["share_high"] or one["share_high"] < other["share_low"])
