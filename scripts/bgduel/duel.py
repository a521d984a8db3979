"""Play two sides against each other until a sequential test decides whether the first is stronger.

Two levels of one engine meet in matches that gnubg plays by itself. Any other two sides meet before the referee.

A round is one shard of each seat; the test looks at the results after every round. Workers play shards in their order.
Matches beyond the deciding look do not count, so the answer does not depend on the number of workers. The name of the
folder of matches depends on the programs and settings that play them, so no other program continues them.
"""

import hashlib
import json
import math
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from threading import Event
from typing import NamedTuple

import numpy as np
import pandas as pd

from bgduel.decision import (
    ALONE_PRICE,
    COLUMNS,
    FIRST_LOOK,
    MONEY,
    NOT_STRONGER,
    REFEREE_PRICE,
    STRONGER,
    UNDECIDED,
    Question,
    answers,
    in_units,
    question,
    saved_by_luck,
)
from bgduel.match import FORFEITS
from bgduel.shard import GivenUpError, play_part, programs
from bgmatch.records import Json, Record
from bgrating.engine import levels
from bgrating.engine.locate import Engine
from bgrating.engine.process import end_all
from bgrating.engine.side_names import are_levels, pair_of, slugs
from bgrating.pages.words import counted
from bgrating.places import TOURNAMENT
from bgrating.play.designs import DesignPoint, Shard, ShardTask
from bgrating.play.shards import Limits, play_and_judge
from bgrating.rating.fibs import Floats, of_elo
from bgrating.settings import SettingsError, load_yaml
from bgrating.tables.folder import check_name, locked
from bgrating.tables.provenance import has_provenance, provenance_path, read_provenance, write_atomic
from bgrating.tables.tables import read_table, write_table

Play = Callable[[DesignPoint, Shard, Path, bool], None]
"""Plays a shard of a cell and judges it, with luck or without; writes its table."""

INVALID = "invalid"
STATUS = {STRONGER: 0, NOT_STRONGER: 2, UNDECIDED: 3, INVALID: 4}  # exit status by verdict; 1 is an error
TABLE, TEXT = "decision.csv", "decision.txt"
SHARD = 10  # matches of one seat between two looks
MOST_FORFEITS, FEW_FORFEITS = 0.02, 2
"""A verdict is invalid if a side forfeited more than this share of the matches, and more than this number."""
_POLL = 0.5  # seconds


class Part(NamedTuple):
    """A shard of a duel: its cell, its matches, and the table of their analysis."""

    cell: DesignPoint
    shard: Shard
    table: Path

    def is_kept(self) -> bool:
        return provenance_path(self.table).is_file()

    def record(self) -> Json:
        """Return the record of a refereed shard: `forfeits`, `scores`, matches played again (`ended`), `played`.

        A score is the match with its points, left and right. A forfeit and an end have match, side (left or right),
        player, sentence and conversation; a forfeit has a reason, too. The record is empty if gnubg played alone.
        """
        archive = self.table.with_suffix(".zip")
        return read_provenance(archive) if has_provenance(archive) else {}


@dataclass(frozen=True)
class Duel:
    """Two sides, the question of the test, and how a shard is played.

    `names` are as in the settings, `players` as in tables and matches. `about` describes each player, `matches` is the
    folder of the shards, `folder` that of the answer. `luck_price` is the CPU of a match with luck over one without
    luck; if it is None, luck is never subtracted.
    """

    names: tuple[str, ...]
    players: tuple[str, ...]
    question: Question
    seed: int
    about: Mapping[str, Json]
    matches: Path
    folder: Path
    play: Play
    luck_price: float | None = ALONE_PRICE
    close: Callable[[], None] = lambda: None

    def parts(self) -> Iterator[Part]:
        """Yield the shards in their order: round by round, both seats."""
        (first, second), length = self.players, self.question.match_length
        most = -(-self.question.max_matches // 2)
        cells = [DesignPoint(left, right, length, most, SHARD) for left, right in ((first, second), (second, first))]
        for shard in cells[0].shards():
            for cell in cells:
                yield Part(cell, shard, self.matches / "shards" / f"{cell.place(shard)}.csv")

    def kept(self) -> int:
        return sum(part.shard.matches for part in self.parts() if part.is_kept())


def not_used(duel: Duel) -> list[str]:
    """Return a sentence for each folder beside the duel's with matches of other programs or settings."""
    archives = (next(iter(sorted(folder.rglob("*.zip"))), None) for folder in duel.matches.parent.glob("*/shards"))
    found = []
    for archive in archives:
        if archive is None or archive.is_relative_to(duel.matches) or not has_provenance(archive):
            continue
        theirs = read_provenance(archive).get("sides") or {}
        changed = [
            f"{name}: {what}"
            for name, about in duel.about.items()
            if name in theirs
            for what in _differences(about, theirs[name])
        ]
        folder = duel.matches.parent / archive.relative_to(duel.matches.parent).parts[0]
        found.append(f"does not use the matches in {folder}: {', '.join(changed) or 'their settings differ'}")
    return found


def _differences(now: Json, then: Json) -> list[str]:
    """Return in words which identifying facts of a side have changed; files have their names."""
    before, after = then.get("files", {}), now.get("files", {})
    files = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    others = sorted(key for key in now.keys() | then.keys() if key != "files" and now.get(key) != then.get(key))
    changed = [f"the file {name.rpartition(' ')[0]} has changed" for name in files]
    return changed + [f"{key} differs" for key in others]


def duel(
    config: Record,
    results: Path,
    judge: Engine,
    seconds: float,
    stop: Event,
    on_match: Callable[[], None] = lambda: None,
) -> Duel:
    """Return the duel of the settings. Programs start once, to give their versions.

    `judge` analyses in at most `seconds` a shard, and plays the levels that name no other engine. Raises SettingsError,
    EngineError and SideError.
    """
    names = pair_of(str(config["levels"]))
    defaults = load_yaml(TOURNAMENT)
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
    luck_price: float | None = ALONE_PRICE if of_one_engine else REFEREE_PRICE
    if config.get("no_luck"):
        judged, luck_price = replace(judged, luck=False), None
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
    limits = replace(limits, log=home / identity / "logs" / "decide.log")

    def play(cell: DesignPoint, shard: Shard, table: Path, with_luck: bool) -> None:
        level = replace(judged, luck=with_luck)
        log = limits.log.with_name(f"{cell.player}~{cell.opponent}-{shard.number:03d}.log")
        own = replace(limits, log=log)
        if not of_one_engine:
            play_part(replace(met, level=level, limits=own, on_match=on_match), cell, shard, table)
            return
        sides = both[cell.player], both[cell.opponent]
        play_and_judge(
            judge, ShardTask(sides, length, seed, shard.number, shard.matches), level, table, own, resume=True
        )
        for _ in range(shard.matches):
            on_match()

    return Duel(
        names,
        players,
        test,
        seed,
        about,
        home / identity,
        folder,
        play,
        luck_price,
        (lambda: None) if of_one_engine else met.close,
    )


def _words(config: Record, test: Question) -> str:
    """Return the name of a question: each question about the same matches has its own folder."""
    gain = f"elo-{config['elo0']:g}-{config['elo1']:g}" if "elo0" in config else f"better-{test.min_gain:g}"
    return gain + "".join(f"-{name}-{config[name]:g}" for name in ("alpha", "beta") if name in config)


@dataclass
class Outcome:
    """The sequential test of a duel so far: verdict, looks, shards with their results, and forfeits.

    `results` has those of the function `results` for all shards. `saved` is the factor by which luck reduces the
    number of matches, by the first look.
    """

    decision: str = UNDECIDED
    table: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=COLUMNS))
    saved: float | None = None
    parts: list[Part] = field(default_factory=list)
    forfeits: list[Json] = field(default_factory=list)
    results: Floats = field(default_factory=lambda: np.empty((3, 0)))

    def add(self, duel: Duel, part: Part) -> None:
        """Add the next shard, and look at the matches after both seats of a round."""
        self.parts.append(part)
        self.forfeits += part.record().get("forfeits", [])
        self.results = np.hstack([self.results, results(part, duel.players[0])])
        won, luck, forfeited = self.results
        if self.saved is None and duel.luck_price and len(won) >= FIRST_LOOK:
            self.saved = saved_by_luck(won, luck)
        if _is_invalid(self.forfeits, len(won)):
            self.decision = INVALID
        elif not len(self.parts) % 2:  # both seats
            luck = luck if takes_luck(duel, self) else np.zeros_like(luck)
            if np.isnan(luck).any():
                raise SettingsError(f"{part.table} was judged without luck; give another --name, or remove it")
            self.table = answers(duel.question, won, luck, forfeited)
            if len(self.table):
                self.decision = self.table["decision"].iloc[-1]


def decide(duel: Duel, workers: int, show: Callable[[pd.DataFrame], None], stop: Event | None = None) -> Outcome:
    """Play until the test decides, or to its last match; `show` often receives the looks so far.

    Raises the errors of `play`; finished shards stay, and the next run continues from them. `stop` is set at the end,
    so sides that are then ended do not forfeit. Raises SettingsError if another run keeps playing the same matches.
    """
    outcome = Outcome()
    with locked(duel.matches), ThreadPoolExecutor(workers) as pool:
        ahead: deque[tuple[Part, Future[None]]] = deque()
        try:
            for part in _in_order(duel, pool, workers, ahead, outcome, show):
                outcome.add(duel, part)
                show(outcome.table)
                if outcome.decision != UNDECIDED:
                    break
        except GivenUpError as given_up:
            outcome.forfeits += given_up.forfeits
            outcome.decision = INVALID
        finally:
            if stop:
                stop.set()
            running = {future for _, future in ahead if not future.cancel()}
            while running:  # a worker may be about to start its analysis
                end_all()
                running = wait(running, timeout=0.1).not_done
            duel.close()
    return outcome


def takes_luck(duel: Duel, outcome: Outcome) -> bool:
    """Tell whether luck is subtracted from results, by its price and the matches that it saves."""
    return duel.luck_price is not None and (outcome.saved is None or outcome.saved > duel.luck_price)


def _in_order(
    duel: Duel,
    pool: ThreadPoolExecutor,
    workers: int,
    ahead: deque[tuple[Part, "Future[None]"]],
    outcome: Outcome,
    show: Callable[[pd.DataFrame], None],
) -> Iterator[Part]:
    """Yield finished shards in their order; `ahead` are the next shards, in play or finished.

    Raises the errors of `play`. A free worker takes the next shard, until `ahead` has two shards for each worker. A
    shard that was given up counts only if the shards before it do not decide.
    """
    waiting = duel.parts()
    while True:
        for _, future in ahead:
            if future.done() and not isinstance(future.exception(), GivenUpError):
                future.result()
        running = [future for _, future in ahead if not future.done()]
        if ahead and ahead[0][1].done():
            part, first = ahead.popleft()
            first.result()
            yield part
        elif len(running) == workers or len(ahead) == 2 * workers or not (part_ahead := next(waiting, None)):
            if not ahead:
                return
            wait(running, _POLL, FIRST_COMPLETED)
            show(outcome.table)
        elif part_ahead.is_kept():
            ahead.append((part_ahead, _finished()))
        else:
            ahead.append((part_ahead, pool.submit(duel.play, *part_ahead, takes_luck(duel, outcome))))


def _finished() -> "Future[None]":
    finished: Future[None] = Future()
    finished.set_result(None)
    return finished


def _is_invalid(forfeits: list[Json], matches: int) -> bool:
    counts = Counter(forfeit["player"] for forfeit in forfeits)
    return max(counts.values(), default=0) > max(FEW_FORFEITS, MOST_FORFEITS * matches)


def results(part: Part, player: str) -> tuple[Floats, Floats, Floats]:
    """Return for each match of a shard the result (1 if the player won, else 0), net luck, and 1 for a forfeit.

    Results of money games are points won or lost. A forfeit is a loss, of 1 point, with the luck of the moves played.
    Raises ProvenanceError.
    """
    both, record = read_table(part.table), part.record()
    left, right = (both[both["side"] == side].set_index("match") for side in ("left", "right"))
    # Points or results of the left seat, less those of the right one; a forfeit counts 1 point.
    if "scores" in record:
        margins = {match: own - other for match, own, other in record["scores"]}
    else:  # gnubg played its levels alone
        margins = left["actual_result"].to_dict()
    forfeits = {row["match"]: 1.0 if row["side"] == "right" else -1.0 for row in record.get("forfeits", [])}
    margins |= forfeits
    luck = dict.fromkeys(forfeits, 0.0) | (left["luck_mwc"] - right["luck_mwc"]).to_dict()
    sign, matches = 1.0 if part.cell.player == player else -1.0, sorted(margins)
    gain = sign * np.array([margins[match] for match in matches], dtype=float)
    return (
        (gain > 0).astype(float) if part.cell.match_length else gain,
        sign * np.array([luck.get(match, math.nan) for match in matches]),
        np.array([match in forfeits for match in matches], dtype=float),
    )


def _played(outcome: Outcome, player: str) -> Json:
    """Return a player's gammons won, decisions, and milliseconds a decision, before the referee; else None."""
    notes = [note[player] for part in outcome.parts if (note := part.record().get("played"))]
    if not notes:
        return dict.fromkeys(("gammons", "decisions", "ms_per_decision"))
    gammons, decisions, seconds = (sum(note[kind] for note in notes) for kind in ("gammons", "decisions", "seconds"))
    milliseconds = round(1000 * seconds / decisions, 3) if decisions and seconds else None
    return {"gammons": gammons, "decisions": decisions, "ms_per_decision": milliseconds}


def facts(duel: Duel, outcome: Outcome) -> Json:
    """Return the verdict for other programs: differences in the unit of the question, None for an infinite bound."""
    test, last = duel.question, outcome.table.iloc[-1].to_dict() if len(outcome.table) else {}
    units = {
        unit: [round(value, 3) if math.isfinite(value) else None for value in values]
        for unit, values in (in_units(test, outcome.table) if last else {}).items()
    }
    gain = dict(zip(("difference", "ci_low", "ci_high"), units.get(test.unit, [None] * 3), strict=True))
    counts = Counter((row["player"], row["reason"]) for row in outcome.forfeits)
    return {
        "verdict": outcome.decision,
        "status": STATUS[outcome.decision],
        "players": list(duel.players),
        "asked": list(duel.names),
        "match_length": test.match_length,
        "matches": int(last.get("matches", 0)),
        "wins": int(last.get("wins", 0)),
        "unit": test.unit,
        **gain,
        "units": units,
        "luck": {"used": takes_luck(duel, outcome), "matches_saved": outcome.saved, "price": duel.luck_price},
        "log_likelihood_ratio": last.get("log_likelihood_ratio"),
        "bounds": list(test.bounds()),
        "forfeits": {
            player: {name: counts[player, name] for name in FORFEITS if counts[player, name]} for player in duel.players
        },
        "seed": duel.seed,
        "sides": {player: {**duel.about[player], **_played(outcome, player)} for player in duel.players},
        "table": str(duel.folder / TABLE),
    }


def line(about: Json) -> str:
    """Return the sentences on matches, advantage in every unit, and log-likelihood ratio, from `facts`."""
    if not about["matches"]:
        return "No look at the matches was reached."
    units = []
    for unit, values in about["units"].items():
        digits = 3 if unit == MONEY else 1
        gain, low, high = ("unbounded" if value is None else f"{value:+.{digits}f}" for value in values)
        units.append(f"{gain} [{low}, {high}] {unit}")
    lower, upper = about["bounds"]
    less_luck = "Less luck its" if about["luck"]["used"] else "Its"
    return (
        f"{about['matches']:,} matches, {about['players'][0]} won {about['wins']:,}. {less_luck} advantage is "
        f"{', '.join(units)}; log likelihood ratio {about['log_likelihood_ratio']:.2f} of {lower:.2f} to "
        f"{upper:.2f}."
    )


def write(duel: Duel, outcome: Outcome) -> str:
    """Write decision.csv and decision.txt; return the lines that a run prints at its end."""
    shards = [read_provenance(part.table) for part in outcome.parts[:2]]
    made = {"levels": duel.names, "study_seed": duel.seed, "verdict": outcome.decision, **asdict(duel.question)}
    made |= {key: shard[key] for shard in shards for key in ("engine", "analysis") if key in shard}
    made |= {"sides": dict(duel.about)}
    duel.folder.mkdir(parents=True, exist_ok=True)
    write_table(outcome.table, duel.folder / TABLE, "tournament/decision", **made)
    text = summary(duel, outcome)
    write_atomic(duel.folder / TEXT, text)
    return text


def summary(duel: Duel, outcome: Outcome) -> str:
    """Return the lines that a run prints at its end."""
    question, (first, second), about = duel.question, duel.players, facts(duel, outcome)
    unit = question.unit.removeprefix("FIBS ")
    gain, equal = (
        value / (of_elo(1.0, question.match_length) if question.in_elo else 1.0)
        for value in (question.min_gain, question.equal)
    )
    verdict = {
        STRONGER: f"{first} is stronger than {second}",
        NOT_STRONGER: f"{first} is not {gain:g} {unit} stronger than {second}",
        INVALID: "invalid, since too many matches were forfeited",
    }.get(outcome.decision, f"not settled after {question.max_matches:,} matches (--most)")
    alike = f"differ by {equal:g} {unit}" if equal else "are equal"
    length = question.match_length
    games = f"matches to {counted(length, 'points')}" if length else "money games"
    lines = [
        f"Is {first} stronger than {second}, in {games}? {verdict}.",
        f"False positives: {100 * question.alpha:g} % if they {alike}. "
        f"False negatives: {100 * question.beta:g} % if the first is {gain:g} {unit} stronger. "
        f"Intervals are 90 %.",
        line(about),
    ]
    if outcome.saved is not None:
        use = "is taken off" if about["luck"]["used"] else "is left in"
        lines.append(
            f"Luck {use}: by the first look it saves {outcome.saved:.1f} times the matches, for {duel.luck_price:g} "
            "times the CPU of a match."
        )
    for player, side in about["sides"].items():
        if side["ms_per_decision"] is not None:
            lines.append(
                f"{player}: {side['ms_per_decision']:.1f} ms a decision, {side['gammons']:,} gammons won "
                f"({side.get('version', '')})."
            )
        if side.get("seeded") is False:
            lines.append(f"{player} offers no seed: after a stop the run may play other matches.")
    for player, counts in about["forfeits"].items():
        reasons = ", ".join(f"{number} {reason}" for reason, number in counts.items())
        if counts:
            lines.append(f"{player} forfeited {sum(counts.values())} ({reasons})")
    ended = [row for part in outcome.parts for row in part.record().get("ended", [])]
    for rows, words in ((outcome.forfeits, ""), (ended, "; the match was played again")):
        times = Counter(row["player"] for row in rows)
        for player, row in {row["player"]: row for row in reversed(rows)}.items():
            more = f" (and {times[player] - 1} more)" if words and times[player] > 1 else ""
            lines.append(
                f"{player}, {row['side']} seat, match {row['match']}: {row['sentence']}{words}"
                f"{more} ({duel.matches / 'logs'})"
            )
            if not words:
                lines += [f"  {line}" for line in row["conversation"]]
    return "\n".join([*lines, f"Table: {duel.folder / TABLE}", ""])
