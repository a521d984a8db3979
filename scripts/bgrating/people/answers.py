"""What the tables say, in words with figures: does the formula hold for people, within what error, for whom not."""

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pandas as pd

from bgrating.people.conversions import ESTIMATED, GNUBG_2003, GNUBG_PER_SNOWIE, RECORDED, SNOWIE
from bgrating.people.shape import none_share, tail_shares
from bgrating.people.tables import FITTED, PER_DECISION, PUBLISHED, Check
from bgrating.report.words import between, milli, number

LINES = {
    ("estimate on recorded", "nothing"): "estimated on recorded ratings, as they lie",
    ("estimate on recorded", "noise of recorded ratings"): "with the noise of the recorded ratings taken out",
    ("recorded on estimate", "nothing"): "recorded on estimated ratings, as they lie",
    ("recorded on estimate", "noise of estimates"): "with the noise of the estimates taken out",
    ("recorded on shrunken estimate", "shrinkage"): "recorded on shrunken estimates",
}
"""The lines of calibration.py in words."""
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
        ("Do estimated ratings agree with recorded ones?", _recorded),
        ("Do error rates predict the next match?", _prediction),
        ("For whom does it not hold?", _whom),
        ("Are people's errors shaped like noise's?", _shape),
        ("How do the measures convert?", _conversions),
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
    best = PER_DECISION if (table["formula"] == PER_DECISION).any() else PUBLISHED
    said = [
        f"An error costs people {_said(row, 'ratio', 'ratio')} times what it costs noise, in luck-adjusted results of "
        f"{row['n_matches']} matches (formula “{best}”): {verdict(row['ratio_low'], row['ratio_high'])}."
        for row in _records(table, formula=best, group="all matches")
        if pd.notna(row["ratio"])
    ]
    said += [
        f"A rating from errors and a rating recorded by {row['site']} differ by {number(row['value'])} points "
        f"(standard deviation) beyond the known errors of both ({row['n_players']} players)."
        for row in _records(check.tables["calibration"], quantity="scatter", players="all")
    ]
    tail = tail_shares(check.tables["sizes"], "chequer play", "everybody", BLUNDER)
    if "noise" in tail:
        said.append(
            f"People do not err like noise: in chequer play errors of {BLUNDER * 1000:.0f} milli-EMG and more are "
            f"{tail['people'][1]:.0%} of their loss and {tail['noise'][1]:.0%} of that of noise which loses as much."
        )
    return said or ["The collection is too small, or lacks luck analysis, to compare people with noise."]


def _records(table: pd.DataFrame, **wanted: Any) -> list[dict[str, Any]]:
    for name, value in wanted.items():
        table = table[table[name] == value]
    return [{str(k): v for k, v in row.items()} for row in table.to_dict("records")]


def _said(row: Mapping[str, Any], value: str = "value", ends: str = "ci", decimals: int = 2, scale: float = 1.0) -> str:
    """Write a figure of a row with its interval."""
    low, high = (None if pd.isna(row[f"{ends}_{end}"]) else scale * row[f"{ends}_{end}"] for end in ("low", "high"))
    return f"{number(scale * row[value], decimals)} {between(low, high, decimals)}"


def verdict(low: float, high: float) -> str:
    """Say what an interval of a ratio says of 1."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return "too few matches to tell"
    if low > 1:
        return "more than noise's"
    if high < 1:
        return "less than noise's"
    return f"no difference shown; differences beyond {max(1 - low, high - 1):.0%} are excluded"


def _cannot(check: Check, what: str) -> str:
    return f"This collection cannot say: {what} (it has {check.decided} decided matches with luck)."


def _cost(check: Check) -> Iterator[str]:
    table = check.tables["whom"]
    rows = {name: _records(table, formula=name, group="all matches") for name in (PUBLISHED, FITTED, PER_DECISION)}
    if not any(rows.values()):
        yield _cannot(check, "30 decided matches with a luck analysis are needed")
        return
    for name, found in rows.items():
        for row in found:
            text = (
                f"With the formula “{name}” people's errors cost {_said(row, 'multiplier')} times what it says, "
                f"from {row['n_matches']} single matches"
            )
            if pd.notna(row["ratio"]):
                text += (
                    f"; the same fit finds {number(row['simulated'], 2)} for noise, so the ratio of people to noise is "
                    f"{_said(row, 'ratio', 'ratio')}: "
                    f"{verdict(row['ratio_low'], row['ratio_high'])}"
                )
            yield text + "."
    factors = check.tables["factors"]
    for cube, words in (("epc", "per close decision"), ("per_game", "per game")):
        for source in ("part2", "part2, as good as people"):
            parts = [
                f"{what} {_said(row, 'ratio', 'ratio')}"
                for term, what in (("a2", "chequer play"), ("b", f"the cube ({words})"))
                for row in _records(factors, source=source, cube_rate=cube, match_length=0, term=term)
            ]
            if parts:
                count = _records(factors, source=source, cube_rate=cube, match_length=0, term="a2")[0]["n_matches"]
                whose = "noise" if source == "part2" else "noise as good as people"
                yield f"Apart, people over {whose}, {count} matches at lengths that both have: {', '.join(parts)}."


def _hidden(check: Check) -> Iterator[str]:
    factors = check.tables["factors"]
    single = factors[(factors["match_length"] > 0) & factors["factor"].notna()]
    if single.empty:
        yield _cannot(check, "no match length is held by people and by simulated matches often enough")
        return
    for cube, words in (("epc", "EPC"), ("per_game", "cube error per game")):
        own = single[single["cube_rate"] == cube]
        ends = [
            (own.loc[own["term"] == t, "factor"].min(), own.loc[own["term"] == t, "factor"].max()) for t in ("a2", "b")
        ]
        yield (
            f"In simulated matches, where the truth is known, a fit of single matches with {words} finds "
            f"{number(ends[0][0], 2)} to {number(ends[0][1], 2)} times the true coefficient of chequer play and "
            f"{number(ends[1][0], 2)} to {number(ends[1][1], 2)} times that of the cube."
        )
    for row in _records(check.tables["identity"], source="people"):
        yield (
            f"A match's luck-adjusted result is largely what gnubg counts for its errors: correlation "
            f"{number(row['correlation'], 2)}, standard deviation of the rest {number(row['sd'], 3)} MWC, "
            f"{row['n_matches']} matches. So single matches say what errors cost, not how strength shows."
        )
    for row in _records(factors, source="part2, as good as people", match_length=0, cube_rate="epc"):
        what = "a2" if row["term"] == "a2" else "b"
        yield (
            f"With that taken out, people's {what} would be {_said(row, 'implied', 'implied')} times the published one "
            f"({row['n_matches']} matches of people)."
        )


def _recorded(check: Check) -> Iterator[str]:
    table, lines = check.tables["calibration"], check.tables["lines"]
    if table.empty:
        held = int(check.tables["strengths"]["recorded_rating"].notna().sum()) if len(check.tables["strengths"]) else 0
        yield f"This collection cannot say: {held} players have a recorded rating; eight at one site are needed."
        return
    for site in table["site"].unique():
        own = {row["quantity"]: row for row in _records(table, site=site, players="all")}
        offset, count = own["offset"], own["offset"]["n_players"]
        yield (
            f"{site}: the offset that makes estimates agree with recorded ratings on average is "
            f"{number(offset['value'])} {between(offset['ci_low'], offset['ci_high'])}, from {count} players in "
            f"{offset['n_matches']} matches of theirs."
        )
        slope = {(row["line"], row["corrected_for"]): row for row in _records(lines, site=site, players="all")}
        said = ", ".join(f"{words} {_said(slope[line], 'slope')}" for line, words in LINES.items() if line in slope)
        yield f"Slopes, 1 where the formula's scale is right: {said} ({count} players)."
        least = slope["estimate on recorded", "noise of recorded ratings"]["slope"]
        most = 1 / slope["recorded on estimate", "noise of estimates"]["slope"]
        yield (
            f"So 100 points between recorded ratings are {number(100 * least)} points between estimates if what the "
            f"known errors leave over is the estimates' doing, and {number(100 * most)} if it is the recorded "
            f"ratings' ({count} players; the intervals are those of the two slopes)."
        )
        correlation = own["correlation"]
        text = f"Correlation {_said(correlation)}"
        if (clean := own.get("correlation, noise taken out")) is not None:
            text += f", with the noise of both taken out {_said(clean)}"
        yield (
            f"{text}. Beyond the known errors of both, recorded and estimated ratings differ with a standard deviation "
            f"of {number(own['scatter']['value'])} points ({count} players)."
        )
        yield "; ".join(
            f"{name.removeprefix('coverage, ')}: {_said(row, decimals=0, scale=100)}"
            for name, row in own.items()
            if name.startswith("coverage")
        ).join(("Recorded ratings inside 90 % intervals, in %: ", f" ({count} players)."))
        for players in lines.loc[(lines["site"] == site) & (lines["players"] != "all"), "players"].unique():
            rest = _records(lines, site=site, players=players, line="estimate on recorded", corrected_for="nothing")[0]
            full = slope["estimate on recorded", "nothing"]
            yield (
                f"The slope {players} player: {_said(rest, 'slope')} instead of "
                f"{number(full['slope'], 2)}: who is in every match is one point of {count} here."
            )
        yield from _mixed(check.tables["mixed"], site)


def _mixed(table: pd.DataFrame, site: str) -> Iterator[str]:
    slopes = {row["model"]: row for row in _records(table, site=site, quantity="slope")}
    parts = {row["quantity"]: row["value"] for row in _records(table, site=site, model="players and matches")}
    if len(slopes) == 2:
        plain, both = slopes["rows alike"], slopes["players and matches"]
        spread = {name: number(parts[f"{name} sd"]) for name in ("player", "match", "residual")}
        yield (
            f"Single matches, every row alike: slope {_said(plain)}; with a part for each player and each match (mixed "
            f"effects) {_said(both)}. A match's ratings scatter by {spread['player']} points between players of the "
            f"same recorded rating, {spread['match']} between matches (both players share a hard match) and "
            f"{spread['residual']} besides ({both['n_players']} players, {both['n_matches']} matches)."
        )


def _prediction(check: Check) -> Iterator[str]:
    table, slopes = check.tables["scores"], check.tables["slopes"]
    if table.empty:
        yield _cannot(check, "50 decided matches with a luck analysis are needed")
        return
    for subset in table["subset"].unique():
        rows = _records(table, subset=subset, measure="log loss", results="luck-adjusted")
        plain = {row["predictor"]: row for row in _records(table, subset=subset, measure="log loss", results="won")}
        said = "; ".join(
            f"{row['predictor']} {_said(row, 'gain', 'gain', 1, 1000)} "
            f"(matches won: {_said(plain[row['predictor']], 'gain', 'gain', 1, 1000)})"
            for row in rows
        )
        yield (
            f"{subset.capitalize()} ({rows[0]['n_matches']}): log loss better than a coin's 0.693 by, in thousandths, "
            f"luck-adjusted: {said}."
        )
    for row in _records(slopes, subset="all matches", results="luck-adjusted"):
        if row["predictor"] in (PUBLISHED, PER_DECISION):
            yield (
                f"Differences found are {_said(row, 'slope')} times those "
                f"predicted by “{row['predictor']}” ({row['n_matches']} matches, luck-adjusted results)."
            )


def _whom(check: Check) -> Iterator[str]:
    table = check.tables["whom"]
    best = PER_DECISION if (table["formula"] == PER_DECISION).any() else PUBLISHED
    rows = [row for row in _records(table, formula=best) if row["group"] != "all matches" and pd.notna(row["ratio"])]
    if not rows:
        yield _cannot(check, "no group of 30 decided matches with a luck analysis")
        return
    off = [row for row in rows if row["ratio_low"] > 1 or row["ratio_high"] < 1]
    yield (
        f"Of {len(rows)} groups of matches (lengths, sites, strength, the busiest player in and out) {len(off)} differ "
        f"from noise at 90 % confidence; by chance about {number(len(rows) / 10)} would (formula “{best}”)."
    )
    for row in off:
        yield (f"{row['group']}: people over noise {_said(row, 'ratio', 'ratio')} ({row['n_matches']} matches).")


def _shape(check: Check) -> Iterator[str]:
    sizes, kinds = check.tables["sizes"], check.tables["kinds"]
    if sizes.empty:
        yield f"This collection cannot say: 2,000 unforced moves are needed ({check.matches} matches)."
        return
    for what in ("chequer play", "cube"):
        tail, none = tail_shares(sizes, what, "everybody", BLUNDER), none_share(sizes, what, "everybody")
        first = _records(sizes, what=what, group="everybody", source="people")[0]
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
        kind: {row["source"]: row for row in _records(kinds, group="everybody", kind=kind)}
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
    return _said(row, "share", "share", 0, 100)


def _apart(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return bool(one["share_low"] > other["share_high"] or one["share_high"] < other["share_low"])


def _conversions(check: Check) -> Iterator[str]:
    rows = {row["conversion"]: row for row in _records(check.tables["conversions"])}
    if not rows:
        yield f"This collection cannot say: eight rated players are needed ({check.matches} matches)."
        return
    first = rows[SNOWIE]
    behind = f"({first['n_players']} players, {first['n_matches']} matches)"
    yield (
        f"Per PR: Snowie's error rate {_said(first, 'estimate', decimals=3)}, gnubg's rate 2 by definition (with the "
        f"close decisions of 2003 {_said(rows[GNUBG_2003], 'estimate', decimals=3)}); gnubg's over Snowie's "
        f"{_said(rows[GNUBG_PER_SNOWIE], 'estimate')}, where the manual has 1.4 and 2007 nearer 2 {behind}."
    )
    for measure in (ESTIMATED, RECORDED):
        if (row := rows.get(f"{measure} per PR")) is not None:
            yield (
                f"{measure.capitalize()}s fall by {_said(_turned(row), 'estimate', decimals=1)} points per PR, "
                f"where XG's author has 33 ({row['n_players']} players, {row['n_matches']} matches)."
            )
    gap = "; ".join(
        f"{row['match_length']} points {_said(row, 'chance', 'chance', 0, 100)} (XG's author: {row['xg_says']:.0%})"
        for row in _records(check.tables["pr_gap"])
    )
    if gap:
        yield f"The weaker side's chance at a gap of 6 PR by the chosen formula, in %: {gap} {behind}."


def _turned(row: Mapping[str, Any]) -> dict[str, float]:
    return {"estimate": -row["estimate"], "ci_low": -row["ci_high"], "ci_high": -row["ci_low"]}
