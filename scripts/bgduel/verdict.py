"""What a duel tells at its end: the verdict in words, for other programs, and as a table."""

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict

from bgduel.decision import EVEN_VARIANCE, MONEY, NOT_STRONGER, STRONGER, UNDECIDED, in_units
from bgduel.duel import INVALID, Outcome
from bgduel.match import FORFEITS
from bgmatch.records import Json
from bgrating.pages.words import counted
from bgrating.tables.provenance import read_provenance, write_atomic
from bgrating.tables.table_files import write_table

STATUS = {STRONGER: 0, NOT_STRONGER: 2, UNDECIDED: 3, INVALID: 4}
"""Exit status by verdict; 1 is an error."""
TABLE = "decision.csv"
TEXT = "decision.txt"


def facts(outcome: Outcome) -> Json:
    """Return the verdict for other programs.

    Differences are in the unit of the question, None for an infinite bound.
    """
    plan = outcome.plan
    asked = outcome.plan.question
    last = outcome.table.iloc[-1].to_dict() if len(outcome.table) else {}
    units = _units(outcome)
    difference, low, high = units.get(asked.unit, [None] * 3)
    less_luck = outcome.is_less_luck()
    luck = {"used": less_luck, "matches_saved": outcome.saved, "price": plan.luck_price}
    about = plan.player.about
    return {
        "verdict": outcome.decision,
        "status": STATUS[outcome.decision],
        "players": list(plan.players),
        "asked": list(plan.names),
        "match_length": asked.match_length,
        "matches": int(last.get("matches", 0)),
        "wins": int(last.get("wins", 0)),
        "unit": asked.unit,
        "difference": difference,
        "ci_low": low,
        "ci_high": high,
        "units": units,
        "luck": luck,
        "log_likelihood_ratio": last.get("log_likelihood_ratio"),
        "bounds": list(asked.bounds()),
        "expected_matches": _expected_matches(outcome),
        "forfeits": {player: _forfeits(outcome, player) for player in plan.players},
        "void": outcome.void,
        "seed": plan.seed,
        "sides": {player: {**about[player], **_played(outcome, player)} for player in plan.players},
        "table": str(plan.folder / TABLE),
    }


def _units(outcome: Outcome) -> dict[str, list[float | None]]:
    """Return difference and interval by unit, rounded; None for an infinite one."""
    if not len(outcome.table):
        return {}
    units = in_units(outcome.plan.question, outcome.table)
    return {unit: [_rounded(value) for value in values] for unit, values in units.items()}


def _rounded(value: float) -> float | None:
    return round(value, 3) if math.isfinite(value) else None


def _expected_matches(outcome: Outcome) -> int | None:
    """Return the mean number of matches of this test between sides that differ by `equal`.

    It is None before the first look. Less luck, the variance of a match is that of the matches.
    """
    if not len(outcome.table):
        return None
    last = outcome.table.iloc[-1]
    asked = outcome.plan.question
    variance = EVEN_VARIANCE
    if outcome.is_less_luck() or not asked.match_length:
        variance = last["std_error"] ** 2 * last["matches"] - 0.75 * asked.unseen / last["matches"]
    return round(asked.expected_matches(variance))


def _forfeits(outcome: Outcome, player: str) -> dict[str, int]:
    """Return the numbers of a player's forfeits by reason."""
    counts = Counter(row["reason"] for row in outcome.forfeits if row["player"] == player)
    return {reason: counts[reason] for reason in FORFEITS if counts[reason]}


def _played(outcome: Outcome, player: str) -> Json:
    """Return a player's gammons won, decisions, and milliseconds a decision.

    They are None if gnubg played alone.
    """
    records = [part.record() for part in outcome.parts]
    notes = [record["played"][player] for record in records if "played" in record]
    if not notes:
        return dict.fromkeys(("gammons", "decisions", "ms_per_decision"))
    decisions = sum(note["decisions"] for note in notes)
    seconds = sum(note["seconds"] for note in notes)
    is_timed = decisions and seconds
    return {
        "gammons": sum(note["gammons"] for note in notes),
        "decisions": decisions,
        "ms_per_decision": round(1000 * seconds / decisions, 3) if is_timed else None,
    }


def write(outcome: Outcome) -> str:
    """Write decision.csv and decision.txt; return the lines that a run prints at its end."""
    plan = outcome.plan
    made: Json = {"levels": plan.names, "study_seed": plan.seed, "verdict": outcome.decision}
    made |= asdict(plan.question)
    for part in outcome.parts[:2]:
        shard = read_provenance(part.table)
        made |= {key: shard[key] for key in ("engine", "analysis") if key in shard}
    made |= {"sides": dict(plan.player.about)}
    plan.folder.mkdir(parents=True, exist_ok=True)
    table = outcome.table.replace([-math.inf, math.inf], math.nan)
    write_table(table, plan.folder / TABLE, "tournament/decision", **made)
    text = summary(outcome)
    write_atomic(plan.folder / TEXT, text)
    return text


def summary(outcome: Outcome) -> str:
    """Return the lines that a run prints at its end."""
    told = facts(outcome)
    lines = [
        *_answer(outcome),
        line(told),
        *_reasons(outcome, told),
        *_sides(told),
        *_faults(outcome, told),
        f"Table: {told['table']}",
        "",
    ]
    return "\n".join(lines)


def _answer(outcome: Outcome) -> Iterator[str]:
    """Yield the question with its verdict, and the error rates."""
    asked = outcome.plan.question
    first, second = outcome.plan.players
    unit = asked.unit.removeprefix("FIBS ")
    gain = asked.min_gain / asked.per_unit
    equal = asked.equal / asked.per_unit
    length = asked.match_length
    games = f"matches to {counted(length, 'points')}" if length else "money games"
    verdict = {
        STRONGER: f"{first} is stronger than {second}",
        NOT_STRONGER: f"{first} is not {gain:g} {unit} stronger than {second}",
        INVALID: _why_invalid(outcome),
        UNDECIDED: f"not settled after {counted(asked.max_matches, 'matches')} (--most)",
    }
    yield f"Is {first} stronger than {second}, in {games}? {verdict[outcome.decision]}."
    alike = f"differ by {equal:g} {unit}" if equal else "are equal"
    yield (
        f"False positives: {100 * asked.alpha:g} % if they {alike}. "
        f"False negatives: {100 * asked.beta:g} % if the first is {gain:g} {unit} stronger. "
        "Intervals are 90 %."
    )


def _why_invalid(outcome: Outcome) -> str:
    what = "had no end" if outcome.is_void() else "were forfeited"
    return f"invalid, since too many matches {what}"


def line(told: Json) -> str:
    """Return the sentences on matches, advantage in every unit, and likelihood ratio.

    They come from `facts`.
    """
    if not told["matches"]:
        return "No look at the matches was reached."
    units = []
    for unit, values in told["units"].items():
        gain, low, high = (_signed(value, 3 if unit == MONEY else 1) for value in values)
        units.append(f"{gain} [{low}, {high}] {unit}")
    lower, upper = told["bounds"]
    less_luck = "Less luck its" if told["luck"]["used"] else "Its"
    return (
        f"{counted(told['matches'], 'matches')}, {told['players'][0]} won {told['wins']:,}. "
        f"{less_luck} advantage is {', '.join(units)}; log likelihood ratio "
        f"{told['log_likelihood_ratio']:.2f} of {lower:.2f} to {upper:.2f}."
    )


def _signed(value: float | None, digits: int) -> str:
    return "unbounded" if value is None else f"{value:+.{digits}f}"


def _reasons(outcome: Outcome, told: Json) -> Iterator[str]:
    """Yield what explains the verdict beside its likelihood ratio: results, length, luck."""
    ratio = told["log_likelihood_ratio"]
    (lower, upper) = told["bounds"]
    is_settled = outcome.decision in {STRONGER, NOT_STRONGER}
    if is_settled and lower < ratio < upper:
        yield "The numbers of wins alone exclude equal sides, so the test ended within its bounds."
    most = outcome.plan.question.max_matches
    expected = told["expected_matches"]
    if outcome.decision == UNDECIDED and expected and most < expected:
        yield (
            f"--most {most:,} is below the length of this test: between equal sides it takes "
            f"{expected:,} matches on average."
        )
    if outcome.saved is not None:
        use = "is taken off" if told["luck"]["used"] else "is left in"
        yield (
            f"Luck {use}: by the first look it saves {outcome.saved:.1f} times the matches, for "
            f"{told['luck']['price']:g} times the CPU of a match."
        )


def _sides(told: Json) -> Iterator[str]:
    """Yield the time and the gammons of every side, a missing seed, and forfeits."""
    for player, side in told["sides"].items():
        if side["ms_per_decision"] is not None:
            yield (
                f"{player}: {side['ms_per_decision']:.1f} ms a decision, {side['gammons']:,} "
                f"gammons won ({side.get('version', '')})."
            )
        if side.get("seeded") is False:
            yield f"{player} offers no seed: after a stop the run may play other matches."
    for player, counts in told["forfeits"].items():
        if counts:
            reasons = ", ".join(f"{number} {reason}" for reason, number in counts.items())
            yield f"{player} forfeited {sum(counts.values())} ({reasons})"


def _faults(outcome: Outcome, told: Json) -> Iterator[str]:
    """Yield void matches, the first forfeit of each side, and matches that were played again."""
    if told["void"]:
        number = counted(len(told["void"]), "matches")
        verb = "is" if len(told["void"]) == 1 else "are"
        yield f"{number} {verb} void and left out."
    for row in told["void"]:
        yield (
            f"{row['left']} (left) against {row['right']}, shard {row['shard']}, "
            f"match {row['match']}: {row['sentence']}"
        )
    logs = outcome.plan.matches / "logs"
    for row, _ in _first_of_each(outcome.forfeits):
        yield f"{_place(row)}: {row['sentence']} ({logs})"
        yield from (f"  {line}" for line in row["conversation"])
    ended: list[Json] = []
    for part in outcome.parts:
        ended += part.record().get("ended", [])
    for row, times in _first_of_each(ended):
        more = f" (and {times - 1} more)" if times > 1 else ""
        yield f"{_place(row)}: {row['sentence']}; the match was played again{more} ({logs})"


def _first_of_each(rows: list[Json]) -> Iterator[tuple[Json, int]]:
    """Yield the first row of every player, with the number of the player's rows."""
    times = Counter(row["player"] for row in rows)
    for player, number in times.items():
        yield next(row for row in rows if row["player"] == player), number


def _place(row: Json) -> str:
    return f"{row['player']}, {row['side']} seat, match {row['match']}"
