"""The output of `decide`: a line for each look, its tables, and the verdict with the exit status."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd

from bgrating.referee.match import FORFEITS
from bgrating.referee.shard import Programs
from bgrating.tables.provenance import read_provenance
from bgrating.tables.provenance import write_atomic as write_text
from bgrating.tables.tables import write_table
from bgrating.tournament.decision import NOT_STRONGER, STRONGER, UNDECIDED, of_elo
from bgrating.tournament.duel import Duel, forfeits_of, results, seats

STATUS = {STRONGER: 0, NOT_STRONGER: 2, UNDECIDED: 3}
"""Exit status by the verdict; 1 is an error."""
_ERRORS = ("unforced_moves", "chequer_error_emg", "close_cube_decisions", "cube_error_emg", "luck_mwc")


def line(duel: Duel, row: Mapping[Any, Any]) -> str:
    per_elo = of_elo(1.0, duel.question.match_length)
    # A chance of 0 or 1 has no finite difference.
    infinite = float(np.copysign(np.inf, row["chance"] - 0.5))
    points = [infinite if np.isnan(row[name]) else row[name] for name in ("difference", "ci_low", "ci_high")]
    return (
        f"{row['matches']:,.0f} matches, at most {duel.question.max_matches - row['matches']:,.0f} left: "
        f"{duel.players[0]} won {row['wins']:,.0f} and is {points[0]:+.1f} [{points[1]:+.1f}, {points[2]:+.1f}] points "
        f"the stronger (Elo {points[0] / per_elo:+.1f}); log likelihood ratio {row['log_likelihood_ratio']:.2f} of "
        f"{row['lower']:.2f} to {row['upper']:.2f}: {row['decision']}"
    )


def sides(duel: Duel, looked: int) -> pd.DataFrame:
    """Return results, forfeits and errors of both sides in the matches of the last look: a row a side."""
    rows = {player: dict.fromkeys(("matches", "wins", *FORFEITS, *_ERRORS), 0.0) for player in duel.players}
    for both in duel.rounds:
        if rows[duel.players[0]]["matches"] >= looked:
            break
        for part in both:
            won, _ = results(part, duel.players[0])
            for player, wins in zip(duel.players, (won.sum(), len(won) - won.sum()), strict=True):
                rows[player]["matches"] += len(won)
                rows[player]["wins"] += wins
            for seat, table in zip((part[0].player, part[0].opponent), seats(part[2]), strict=True):
                for name in _ERRORS:
                    rows[seat][name] += float(table[name].sum())
            for forfeit in forfeits_of(part):
                rows[forfeit["player"]][forfeit["reason"]] += 1
    frame = pd.DataFrame([{"player": player, "asked": name, **rows[player]}
                          for player, name in zip(duel.players, duel.names, strict=True)])  # fmt: skip
    counts = ["matches", "wins", *FORFEITS, "unforced_moves", "close_cube_decisions"]
    frame = frame.astype(dict.fromkeys(counts, int))
    moves, cubes = frame["unforced_moves"].replace(0, np.nan), frame["close_cube_decisions"].replace(0, np.nan)
    frame["epm"] = frame["chequer_error_emg"] / moves
    frame["epc"] = frame["cube_error_emg"] / cubes
    frame["pr"] = 500 * (frame["chequer_error_emg"] + frame["cube_error_emg"]) / (moves + cubes.fillna(0))
    return frame


def write(duel: Duel, table: pd.DataFrame, programs: Programs | None = None) -> str:
    """Write decision.csv, decision.txt and sides.csv; return the lines that a run prints at its end."""
    path = duel.folder / "decision.csv"
    shards = [read_provenance(part[2]) for part in duel.rounds[0]]
    facts = {"levels": duel.names, "study_seed": duel.seed, **asdict(duel.question)}
    facts |= {key: shard[key] for shard in shards for key in ("engine", "analysis") if key in shard}
    facts |= {"sides": dict(programs.about)} if programs else {}
    write_table(table, path, "tournament/decision", **facts)
    both = sides(duel, int(table["matches"].iloc[-1]))
    write_table(both, duel.folder / "sides.csv", "tournament/sides", **facts)
    text = summary(duel, table, both, str(path))
    write_text(path.with_suffix(".txt"), text)
    return text


def summary(duel: Duel, table: pd.DataFrame, both: pd.DataFrame, path: str) -> str:
    """Return the lines that a run prints at its end."""
    question, (first, second) = duel.question, duel.players
    last = table.iloc[-1].to_dict()
    verdict = {
        STRONGER: f"{first} is stronger than {second}",
        NOT_STRONGER: f"{first} is not {question.min_gain:g} points stronger than {second}",
    }.get(last["decision"], f"not settled after {question.max_matches:,} matches (--most)")
    equal = f"differ by {question.equal:g} points" if question.equal else "are equal"
    points = f"{question.match_length} point{'s' * (question.match_length > 1)}"
    lines = [
        f"Is {first} stronger than {second}, in matches to {points}? {verdict}.",
        f"False positives: {100 * question.alpha:g} % if they {equal}. "
        f"False negatives: {100 * question.beta:g} % if the first is {question.min_gain:g} points stronger. "
        f"The 90 % interval holds at every look.",
        line(duel, last),
    ]
    for row in both.to_dict("records"):
        forfeits = {reason: row[reason] for reason in FORFEITS if row[reason]}
        words = f"{row['player']}: {row['wins']:,} of {row['matches']:,} won"
        words += "" if np.isnan(row["pr"]) else f", PR {row['pr']:.2f}"
        if forfeits:
            counts = ", ".join(f"{number} {reason}" for reason, number in forfeits.items())
            words += f"; forfeited {sum(forfeits.values())} ({counts})"
        lines.append(words)
    if duel.names != duel.players:
        lines.append(
            "Results less luck are the verdict. Error rates explain it, and may flatter a side of the judge's family."
        )
    first_forfeits = {forfeit["player"]: forfeit for both_seats in reversed(duel.rounds[: len(table) + 1])
                      for part in both_seats for forfeit in forfeits_of(part)}  # fmt: skip
    lines += [f"{player}, match {forfeit['match']}: {forfeit['sentence']} ({duel.folder / 'logs'})"
              for player, forfeit in first_forfeits.items()]  # fmt: skip
    return "\n".join([*lines, f"Table: {path}", ""])
