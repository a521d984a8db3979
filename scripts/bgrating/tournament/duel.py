"""Play two sides against each other until a sequential test decides whether the first is stronger.

Two levels of one engine meet in matches that gnubg plays by itself. Any other two sides meet before the referee.

A round is one shard of both seats, with a look after it. Workers play shards in their order. Matches beyond the
deciding look do not count, so the answer does not depend on the number of workers. Several machines can share the
rounds of one folder, or of folders that are copied together later. The folder of the matches is named
by all that made them, so other programs never go on with them.
"""

import hashlib
import json
import math
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field, replace
from itertools import islice, takewhile
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pandas as pd

from bgrating.engine import levels
from bgrating.engine.locate import Engine
from bgrating.engine.process import end_all
from bgrating.play.designs import DesignPoint, Shard, ShardTask, shard_table
from bgrating.play.shards import Limits, play_and_judge
from bgrating.rating.fibs import Floats
from bgrating.referee.match import FORFEITS
from bgrating.referee.names import are_levels, names_of, slugs
from bgrating.referee.shard import GivenUpError, play_part, programs
from bgrating.settings import SettingsError, load_yaml
from bgrating.tables.folder import alone, check_name
from bgrating.tables.provenance import has_provenance, provenance_path, read_provenance, write_atomic
from bgrating.tables.tables import read_table, write_table
from bgrating.tournament.decision import (
    MONEY,
    NOT_STRONGER,
    STRONGER,
    UNDECIDED,
    Question,
    answers,
    in_units,
    of_elo,
    question,
)
from bgrating.tournament.design import DEFAULTS

Json = dict[str, Any]
Play = Callable[[DesignPoint, Shard, Path], None]
Part = tuple[DesignPoint, Shard, Path]

INVALID = "invalid"
STATUS = {STRONGER: 0, NOT_STRONGER: 2, UNDECIDED: 3, INVALID: 4}  # exit status by the verdict; 1 is an error
TABLE, TEXT = "decision.csv", "decision.txt"
SHARD = 10  # matches of one seat between two looks
MOST_FORFEITS, FEW_FORFEITS = 0.02, 2
"""A verdict is invalid if a side has forfeited more than this share of the matches, and more than a few."""
_LOOK = 0.5  # seconds between two looks at the workers


@dataclass(frozen=True)
class Duel:
    """Two sides, the question of the test, and how a shard is played.

    `names` are as in the settings, `players` as in tables and matches. `about` tells what plays, `matches` is the
    folder of the shards, `folder` that of the answer. `share` is the number of a share, from 1, and how many
    there are: only its rounds are played.
    """

    names: tuple[str, str]
    players: tuple[str, str]
    question: Question
    seed: int
    about: Mapping[str, Json]
    matches: Path
    folder: Path
    play: Play
    share: tuple[int, int] = (1, 1)

    def own_parts(self) -> Iterator[Part]:
        """Yield the shards of the share, in their order."""
        number, of = self.share
        return (part for both in islice(self.rounds(), number - 1, None, of) for part in both)

    def finished(self) -> Iterator[Part]:
        """Yield the shards of all shares, up to the first round that is not finished."""
        both_are = takewhile(lambda both: all(provenance_path(part[2]).is_file() for part in both), self.rounds())
        return (part for both in both_are for part in both)

    def rounds(self) -> Iterator[tuple[Part, Part]]:
        """Yield the shards of both seats, round by round."""
        (first, second), length = self.players, self.question.match_length
        most = -(-self.question.max_matches // 2)
        cells = [DesignPoint(left, right, length, most, SHARD) for left, right in ((first, second), (second, first))]
        for shard in cells[0].shards():
            left, right = ((cell, shard, shard_table(self.matches, "", cell, shard.number)) for cell in cells)
            yield left, right

    def kept(self) -> int:
        return sum(part[1].matches for both in self.rounds() for part in both if provenance_path(part[2]).is_file())


@dataclass
class Outcome:
    """The verdict, the looks of the test, the shards that it rests on, and the forfeits in them."""

    decision: str
    table: pd.DataFrame
    parts: list[Part] = field(default_factory=list)
    forfeits: list[Json] = field(default_factory=list)


def duel(
    config: Mapping[str, Any], results: Path, judge: Engine, seconds: float, stop: Event,
    on_match: Callable[[], None] = lambda: None,
) -> Duel:  # fmt: skip
    """Return the duel of the settings. Programs start once, to tell their versions.

    `judge` judges, in at most `seconds` a shard, and plays the levels that name no other engine. Raises SettingsError,
    EngineError and SideError, and SettingsError for a folder that holds what others made.
    """
    names = names_of(str(config["levels"]))
    if len(names) != 2 or names[0] == names[1]:
        raise SettingsError("decide: name two different sides, the one that may be stronger first: --levels NEW,OLD")
    defaults = load_yaml(DEFAULTS)
    length, seed = (config.get(key, defaults[key]) for key in ("match_length", "seed"))
    if config.get("money"):
        if "match_length" in config:
            raise SettingsError("--money and --match-length exclude each other")
        length = 0
    test = question(config, length, 2 * SHARD)
    if config.get("name"):
        check_name(config["name"])
    of_one_engine = are_levels(names) and length > 0
    players = names if of_one_engine else slugs(names)
    home = (
        results / "decide" / (config.get("name") or f"{'~'.join(players)}-{f'{length}-points' if length else 'money'}")
    )
    judged, answer_limit = levels.analysis(defaults["analysis"]), float(config.get("answer_limit", 60.0))
    limits = Limits(seconds, home / "logs" / "decide.log")
    about: Mapping[str, Json]
    if of_one_engine:
        both = {name: levels.player(name) for name in names}
        about = {name: asdict(level) for name, level in both.items()}
    else:
        met = programs(dict(zip(players, names, strict=True)), judge, judged, seed, limits, answer_limit, stop, config)
        about = met.about
    made_by = [about, judge.known.version, judge.package(), asdict(judged), seed, length, answer_limit]
    identity = hashlib.sha256(json.dumps(made_by, sort_keys=True).encode()).hexdigest()[:12]
    folder = home / identity / _words(config, test)
    _check_tables(folder)
    limits = replace(limits, log=home / identity / "logs" / "decide.log")

    def play(cell: DesignPoint, shard: Shard, table: Path) -> None:
        """Play and judge a shard."""
        log = limits.log.with_name(f"{cell.player}~{cell.opponent}-{shard.number:03d}.log")
        own = replace(limits, log=log)
        if not of_one_engine:
            play_part(replace(met, limits=own, on_match=on_match), cell, shard, table)
            return
        sides = both[cell.player], both[cell.opponent]
        play_and_judge(
            judge, ShardTask(sides, length, seed, shard.number, shard.matches), judged, table, own, resume=True
        )
        for _ in range(shard.matches):
            on_match()

    return Duel((names[0], names[1]), (players[0], players[1]), test, seed, about, home / identity, folder, play,
                share_of(config.get("share", "1/1")))  # fmt: skip


def share_of(text: str) -> tuple[int, int]:
    """Return the number of a share, from 1, and of how many. Raises SettingsError."""
    number, slash, of = text.partition("/")
    if not slash or not number.isdecimal() or not of.isdecimal() or not 1 <= int(number) <= int(of):
        raise SettingsError(f"--share {text}: it is of the form K/N, such as 2/8 for the second of eight shares")
    return int(number), int(of)


def _words(config: Mapping[str, Any], test: Question) -> str:
    """Return the name of a question: other questions about the same matches have folders of their own."""
    asked = f"elo-{config['elo0']:g}-{config['elo1']:g}" if "elo0" in config else f"better-{test.min_gain:g}"
    return asked + "".join(f"-{name}-{config[name]:g}" for name in ("alpha", "beta") if name in config)


def _check_tables(folder: Path) -> None:
    """Raise SettingsError for a file of another author in the place of one of ours."""
    for name in (TABLE, TEXT):
        if (folder / name).exists() and not provenance_path(folder / TABLE).exists():
            raise SettingsError(
                f"{folder} holds a {name} that this program did not make; it is left as it is: choose another --name, "
                "or move the file"
            )


def decide(duel: Duel, workers: int, show: Callable[[pd.DataFrame], None], stop: Event | None = None) -> Outcome:
    """Play until the test decides, or to its last match; `show` receives the looks so far, often.

    A share of several is played until the finished matches of all decide, or to its last match. Raises the errors of
    `play`; finished shards stay, and another run continues from them. `stop` is set at the end: a side that is ended
    then has not forfeited. Raises SettingsError if another run plays the same share for long.
    """
    test = SequentialTest(duel)
    with alone(duel.matches / "locks" / "-of-".join(map(str, duel.share))), ThreadPoolExecutor(workers) as pool:
        ahead: deque[tuple[Part, Future[None] | None]] = deque()
        try:
            for part in _in_order(duel, pool, workers, ahead, lambda: show(test.outcome.table)):
                if isinstance(part, GivenUpError):
                    test.outcome.forfeits += part.forfeits
                    test.outcome.decision = INVALID
                    break
                for finished in islice(duel.finished(), len(test.outcome.parts), None) if duel.share[1] > 1 else [part]:
                    if test.decides(finished):
                        break
                show(test.outcome.table)
                if test.outcome.decision != UNDECIDED:
                    break
        finally:
            if stop:
                stop.set()
            running = {future for _, future in ahead if future and not future.cancel()}
            while running:  # one may be between playing and analysing
                end_all()
                running = wait(running, timeout=0.1).not_done
    return test.outcome


class SequentialTest:
    """The sequential test of a duel, shard by shard; `outcome` is what it knows so far."""

    def __init__(self, duel: Duel) -> None:
        self._duel, self._results = duel, [np.empty(0)] * 3
        self.outcome = Outcome(UNDECIDED, answers(duel.question, *self._results))

    def decides(self, part: Part) -> bool:
        """Add the next shard; return whether there is a verdict now."""
        outcome = self.outcome
        outcome.parts.append(part)
        outcome.forfeits += _noted(part, "forfeits")
        self._results = [
            np.concatenate(both) for both in zip(self._results, results(part, self._duel.players[0]), strict=True)
        ]
        if _is_invalid(outcome.forfeits, len(self._results[0])):
            outcome.decision = INVALID
        elif not len(outcome.parts) % 2:  # both seats
            outcome.table = answers(self._duel.question, *self._results)
            if len(outcome.table):
                outcome.decision = outcome.table["decision"].iloc[-1]
        return outcome.decision != UNDECIDED


def _in_order(
    duel: Duel, pool: ThreadPoolExecutor, workers: int, ahead: deque[tuple[Part, "Future[None] | None"]],
    look: Callable[[], None],
) -> Iterator[Part | GivenUpError]:  # fmt: skip
    """Yield shards in their order, or why one was given up; `ahead` are those that are played already.

    A worker takes the next shard when it is free. It waits only if it is a whole turn of all workers ahead.
    """
    waiting = duel.own_parts()
    while True:
        for _, future in ahead:
            if future and future.done() and not isinstance(future.exception(), GivenUpError | None):
                future.result()
        if ahead and (not ahead[0][1] or ahead[0][1].done()):
            part, first = ahead.popleft()
            failed = first.exception() if first else None
            yield failed if isinstance(failed, GivenUpError) else part
            continue
        running = [future for _, future in ahead if future and not future.done()]
        if len(running) == workers or len(ahead) == 2 * workers or not (next_part := next(waiting, None)):
            if not ahead:
                return
            wait(running, _LOOK, FIRST_COMPLETED)
            look()
        else:
            is_kept = provenance_path(next_part[2]).is_file()
            ahead.append((next_part, None if is_kept else pool.submit(duel.play, *next_part)))


def _is_invalid(forfeits: list[Json], matches: int) -> bool:
    counts = [sum(other["player"] == one["player"] for other in forfeits) for one in forfeits]
    return max(counts, default=0) > max(FEW_FORFEITS, MOST_FORFEITS * matches)


def results(part: Part, player: str) -> tuple[Floats, Floats, Floats]:
    """Return a shard's results (1 if the player won, else 0), the player's net luck, and 1 for a forfeit, by match.

    Results of money games are points won or lost. A forfeit is a loss, of 1 point, with the luck of the moves played.
    Raises ProvenanceError.
    """
    both = read_table(part[2])
    left, right = (both[both["side"] == side].reset_index(drop=True) for side in ("left", "right"))
    is_match = part[0].match_length > 0
    ahead = left["actual_result"] > 0 if is_match else left["score"] - left["opponent_score"]
    won = dict(zip(left["match"], ahead, strict=True))
    luck = dict(zip(left["match"], left["luck_mwc"] - right["luck_mwc"], strict=True))
    forfeits = _noted(part, "forfeits")
    for forfeit in forfeits:
        is_won = forfeit["side"] == "right"
        won[forfeit["match"]] = is_won if is_match else 2 * is_won - 1
    sign, lost = 1.0 if part[0].player == player else -1.0, {forfeit["match"] for forfeit in forfeits}
    numbers = sorted(won)
    even = 0.5 if is_match else 0.0
    return (
        even + sign * (np.array([won[number] for number in numbers], dtype=float) - even),
        sign * np.array([luck.get(number, 0.0) for number in numbers], dtype=float),
        np.array([number in lost for number in numbers], dtype=float),
    )


def _noted(part: Part, kind: str) -> list[Json]:
    """Return the `forfeits` of a shard, or the matches played again after a signal `ended` a side.

    Each has match, side (left or right), player, sentence and conversation, a forfeit its reason too.
    """
    archive = part[2].with_suffix(".zip")
    noted: list[Json] = read_provenance(archive).get(kind, []) if has_provenance(archive) else []
    return noted


def facts(duel: Duel, outcome: Outcome) -> Json:
    """Return the verdict for other programs: differences in the unit that was asked, None where there is no bound."""
    test, last = duel.question, outcome.table.iloc[-1].to_dict() if len(outcome.table) else {}
    units = {unit: [round(value, 3) if math.isfinite(value) else None for value in values]
             for unit, values in (in_units(test, outcome.table) if last else {}).items()}  # fmt: skip
    asked = dict(zip(("difference", "ci_low", "ci_high"), units.get(test.unit, [None] * 3), strict=True))
    counts = {player: [row["reason"] for row in outcome.forfeits if row["player"] == player] for player in duel.players}
    return {
        "verdict": outcome.decision, "status": STATUS[outcome.decision], "players": list(duel.players),
        "asked": list(duel.names), "match_length": test.match_length, "matches": int(last.get("matches", 0)),
        "wins": int(last.get("wins", 0)), "unit": test.unit, **asked, "units": units,
        "log_likelihood_ratio": last.get("log_likelihood_ratio"), "bounds": list(test.bounds()),
        "forfeits": {player: {name: all_.count(name) for name in FORFEITS if name in all_}
                     for player, all_ in counts.items()},
        "table": str(duel.folder / TABLE),
    }  # fmt: skip


def line(duel: Duel, outcome: Outcome) -> str:
    about = facts(duel, outcome)
    if not about["matches"]:
        return "No look at the matches was reached."
    units = []
    for unit, values in about["units"].items():
        digits = 3 if unit == MONEY else 1
        gain, low, high = ("unbounded" if value is None else f"{value:+.{digits}f}" for value in values)
        units.append(f"{gain} [{low}, {high}] {unit}")
    lower, upper = about["bounds"]
    return (
        f"{about['matches']:,} matches, {duel.players[0]} won {about['wins']:,}. Less luck its advantage is "
        f"{', '.join(units)}; log likelihood ratio {about['log_likelihood_ratio']:.2f} of {lower:.2f} to "
        f"{upper:.2f}."
    )


def write(duel: Duel, outcome: Outcome) -> str:
    """Write decision.csv and decision.txt; return the lines that a run prints at its end."""
    shards = [read_provenance(part[2]) for part in outcome.parts[:2]]
    made = {"levels": duel.names, "study_seed": duel.seed, "verdict": outcome.decision, **asdict(duel.question)}
    made |= {key: shard[key] for shard in shards for key in ("engine", "analysis") if key in shard}
    made |= {"sides": dict(duel.about)}
    duel.folder.mkdir(parents=True, exist_ok=True)
    if not (mark := provenance_path(duel.folder / TABLE)).is_file():
        write_atomic(mark, "{}\n")  # the table is ours even if this run is ended between it and its provenance
    write_table(outcome.table, duel.folder / TABLE, "tournament/decision", **made)
    text = summary(duel, outcome)
    write_atomic(duel.folder / TEXT, text)
    return text


def summary(duel: Duel, outcome: Outcome) -> str:
    """Return the lines that a run prints at its end."""
    question, (first, second) = duel.question, duel.players
    unit = question.unit.removeprefix("FIBS ")
    gain, equal = (value / (of_elo(1.0, question.match_length) if question.in_elo else 1.0)
                   for value in (question.min_gain, question.equal))  # fmt: skip
    verdict = {
        STRONGER: f"{first} is stronger than {second}",
        NOT_STRONGER: f"{first} is not {gain:g} {unit} stronger than {second}",
        INVALID: "invalid, since too many matches were forfeited",
    }.get(outcome.decision, f"not settled after {question.max_matches:,} matches (--most)")
    alike = f"differ by {equal:g} {unit}" if equal else "are equal"
    length = question.match_length
    games = f"matches to {length} point{'s' * (length > 1)}" if length else "money games"
    lines = [
        f"Is {first} stronger than {second}, in {games}? {verdict}.",
        f"False positives: {100 * question.alpha:g} % if they {alike}. "
        f"False negatives: {100 * question.beta:g} % if the first is {gain:g} {unit} stronger. "
        f"The 90 % interval holds at every look.",
        line(duel, outcome),
    ]
    for player, counts in facts(duel, outcome)["forfeits"].items():
        reasons = ", ".join(f"{number} {reason}" for reason, number in counts.items())
        lines += [f"{player} forfeited {sum(counts.values())} ({reasons})"] * bool(counts)
    ended = [row for part in outcome.parts for row in _noted(part, "ended")]
    for rows, words in ((outcome.forfeits, ""), (ended, "; the match was played again")):
        for player, first_of in {row["player"]: row for row in reversed(rows)}.items():
            times = sum(other["player"] == player for other in rows)
            more = f" (and {times - 1} more)" if words and times > 1 else ""
            lines.append(f"{player}, {first_of['side']} seat, match {first_of['match']}: {first_of['sentence']}{words}"
                         f"{more} ({duel.matches / 'logs'})")  # fmt: skip
            lines += [f"  {said}" for said in first_of["conversation"] if not words]
    return "\n".join([*lines, f"Table: {duel.folder / TABLE}", ""])
