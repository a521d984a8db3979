"""What `decide` tells: a line for each look, its tables, and the verdict with the exit status."""

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
    """Write a look in one line."""
    per_elo = of_elo(1.0, duel.question.match_length)
    # No difference is so large that a side should win every match.
    endless = float(np.copysign(np.inf, row["chance"] - 0.5))
    points = [endless if np.isnan(row[name]) else row[name] for name in ("difference", "ci_low", "ci_high")]
    return (
        f"{row['matches']:,.0f} matches, at most {duel.question.max_matches - row['matches']:,.0f} left: "
        f"{duel.players[0]} won {row['wins']:,.0f} and is {points[0]:+.1f} [{points[1]:+.1f}, {points[2]:+.1f}] points "
        f"the stronger (Elo {points[0] / per_elo:+.1f}); log likelihood ratio {row['log_likelihood_ratio']:.2f} of "
        f"{row['lower']:.2f} to {row['upper']:.2f}: {row['decision']}"
    )


def sides(duel: Duel, looked: int) -> pd.DataFrame:
    """Return what both sides did in the first matches, as many as the last look counted: a row a side."""
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
    """Write the looks of the test (decision.csv, decision.txt) and the sides; return the lines that a run ends with."""
    path = duel.folder / "decision.csv"
    judged = [read_provenance(part[2]) for part in duel.rounds[0]]
    facts = {"levels": duel.names, "study_seed": duel.seed, **asdict(duel.question)}
    facts |= {key: judge[key] for judge in judged for key in ("engine", "analysis") if key in judge}
    facts |= {"sides": dict(programs.about)} if programs else {}
    write_table(table, path, "tournament/decision", **facts)
    both = sides(duel, int(table["matches"].iloc[-1]))
    write_table(both, duel.folder / "sides.csv", "tournament/sides", **facts)
    text = summary(duel, table, both, str(path))
    write_text(path.with_suffix(".txt"), text)
    return text


def summary(duel: Duel, table: pd.DataFrame, both: pd.DataFrame, path: str) -> str:
    """Return the lines that a run prints at its end."""
    asked, (first, second) = duel.question, duel.players
    last = table.iloc[-1].to_dict()
    words = {
        STRONGER: f"{first} is stronger than {second}",
        NOT_STRONGER: f"{first} is not {asked.min_gain:g} points stronger than {second}",
    }
    says = words.get(last["decision"], f"not settled after {asked.max_matches:,} matches (--most)")
    equal = f"differ by {asked.equal:g} points" if asked.equal else "are equal"
    lines = [
        f"Is {first} stronger than {second}, in matches to {asked.match_length} point{'s' * (asked.match_length > 1)}? "
        f"{says}.",
        f"The test says so wrongly in {100 * asked.alpha:g} % of cases where they {equal}, and denies "
        f"{asked.min_gain:g} points wrongly in {100 * asked.beta:g} %; the interval of 90 % allows for all looks.",
        line(duel, last),
    ]
    for row in both.to_dict("records"):
        lost = {reason: row[reason] for reason in FORFEITS if row[reason]}
        told = f"; forfeited {sum(lost.values())} ({', '.join(f'{n} {reason}' for reason, n in lost.items())})"
        own = f"{row['player']}: {row['wins']:,} of {row['matches']:,} won"
        own += "" if np.isnan(row["pr"]) else f", PR {row['pr']:.2f}"
        lines.append(own + told * bool(lost))
    if duel.names != duel.players:
        lines.append(
            "Results less luck are the verdict. Error rates explain it, and may flatter a side of the judge's family."
        )
    first_forfeits = {forfeit["player"]: forfeit for both_seats in reversed(duel.rounds[: len(table) + 1])
                      for part in both_seats for forfeit in forfeits_of(part)}  # fmt: skip
    lines += [f"{player}, match {one['match']}: {one['sentence']} ({duel.folder / 'logs'})"
              for player, one in first_forfeits.items()]  # fmt: skip
    return "\n".join([*lines, f"Table: {path}", ""])
