"""Report a finished duel: the verdict as JSON for other programs, as text, and as a table."""

import math
from collections import Counter
from dataclasses import asdict

from bgduel.decision import EVEN_VARIANCE, NOT_STRONGER, STRONGER, UNDECIDED, in_units
from bgduel.duel import INVALID, Outcome
from bgduel.shard import FORFEITS, VOID
from bgmatch.records import Json
from bgrating.pages.template import page
from bgrating.tables.provenance import read_provenance
from bgrating.tables.table_files import write_table

STATUS = {STRONGER: 0, NOT_STRONGER: 2, UNDECIDED: 3, INVALID: 4}
"""Exit status by verdict; 1 is an error."""
TABLE = "decision.csv"


def answer(outcome: Outcome) -> Json:
    """Return the verdict for other programs.

    Differences are in the unit of the question, None for an infinite bound.
    """
    plan = outcome.plan
    question = plan.question
    last = outcome.table.iloc[-1].to_dict() if len(outcome.table) else {}
    units = in_units(question, outcome.table) if len(outcome.table) else {}
    difference, low, high = units.get(question.unit, [None] * 3)
    return {
        "verdict": outcome.decision,
        "status": STATUS[outcome.decision],
        "players": plan.players,
        "asked": plan.names,
        "match_length": question.match_length,
        "matches": int(last.get("matches", 0)),
        "wins": int(last.get("wins", 0)),
        "unit": question.unit,
        "difference": difference,
        "ci_low": low,
        "ci_high": high,
        "units": units,
        "luck": {
            "used": bool(outcome.less_luck),
            "matches_saved": outcome.saved,
            "price": plan.player.luck_price if plan.level.luck else None,
        },
        "log_likelihood_ratio": last.get("log_likelihood_ratio"),
        "bounds": question.bounds(),
        "expected_matches": _expected_matches(outcome),
        "forfeits": {player: _forfeits(outcome, player) for player in plan.players},
        "void": outcome.notes(VOID),
        "seed": plan.player.conditions.seed,
        "sides": {player: _side(outcome, player) for player in plan.players},
        "table": str(plan.folder / TABLE),
    }


def _expected_matches(outcome: Outcome) -> int | None:
    """Return the mean number of matches of this test between sides that differ by `equal`.

    It is None before the first look. Less luck, the variance of a match is that of the matches.
    """
    if not len(outcome.table):
        return None
    last = outcome.table.iloc[-1]
    matches = last["matches"]
    question = outcome.plan.question
    variance = EVEN_VARIANCE
    if outcome.less_luck or not question.match_length:
        variance = last["std_error"] ** 2 * matches - 0.75 * question.unseen / matches
    return round(question.expected_matches(variance))


def _forfeits(outcome: Outcome, player: str) -> dict[str, int]:
    """Return the numbers of a player's forfeits by reason."""
    forfeits = outcome.notes(FORFEITS)
    return dict(Counter(note["reason"] for note in forfeits if note["player"] == player))


def _side(outcome: Outcome, player: str) -> Json:
    """Return what identifies a player, its gammons won, its decisions, and their milliseconds.

    The figures are None if gnubg played alone.
    """
    figures: Counter[str] = Counter()
    for record in outcome.records:
        figures.update(record["played"][player])
    shown: Json = {"gammons": None, "decisions": None, "ms_per_decision": None}
    if figures["decisions"]:
        pace = 1000 * figures["seconds"] / figures["decisions"]
        shown = {
            "gammons": figures["gammons"],
            "decisions": figures["decisions"],
            "ms_per_decision": round(pace, 3),
        }
    return {**outcome.plan.player.identities[player], **shown}


def write(outcome: Outcome) -> None:
    """Write decision.csv."""
    plan = outcome.plan
    first_shard = read_provenance(next(plan.shard_files()).table)
    plan.folder.mkdir(parents=True, exist_ok=True)
    write_table(
        outcome.table.replace([-math.inf, math.inf], math.nan),
        plan.folder / TABLE,
        "tournament/decision",
        levels=plan.names,
        study_seed=plan.player.conditions.seed,
        verdict=outcome.decision,
        sides=plan.player.identities,
        **asdict(plan.question),
        **{key: first_shard[key] for key in ("engine", "analysis") if key in first_shard},
    )


def summary(outcome: Outcome) -> str:
    """Return the lines that a run prints at its end."""
    return page(
        "decision.txt.j2",
        answer=answer(outcome),
        question=outcome.plan.question,
        invalid=outcome.invalid,
        forfeits=outcome.notes(FORFEITS),
        ended=outcome.notes("ended"),
        logs=outcome.plan.matches / "logs",
    )
