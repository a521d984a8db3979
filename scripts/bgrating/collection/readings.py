"""Read a collection: the records of its files, and the clean matches for the engine.

The store answers for bytes that were read before. Memory holds only a line of JSON and short keys
of each file.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import PurePath
from typing import Any

from bgmatch import write_mat
from bgmatch.formats.program_file import SavedError
from bgmatch.formats.saved import read_file
from bgmatch.formats.xg import Figures, XgFigures
from bgmatch.model import Match
from bgmatch.records import Json
from bgmatch.repair import REPAIRED
from bgmatch.sections import MatchTextError
from bgmatch.write import content_key, first_roller, moves, playable_games
from bgrating.analysis.analyst import Analyst
from bgrating.analysis.import_check import expected_import
from bgrating.collection.copies import content_of, rank
from bgrating.collection.encodings import encoding_of, names_of, remark, spellings, with_known_names
from bgrating.collection.file_names import with_facts_of_names
from bgrating.collection.listing import ListedFile, Reader, UnreadableError
from bgrating.decisions.decision_rows import Place
from bgrating.decisions.thresholds import BLUNDER, COSTLY
from bgrating.tables.csv_safety import escape_controls

_READERS = 2
"""The number of the code of readers: raise it where a reader takes something else from a file."""
MAX_REASONS = 5
"""Warnings of one match that its line in files.csv names; further ones are counted."""

# Findings that the status "incomplete" already tells.
_OF_INCOMPLETE = {"incomplete", "unfinished"}
_WITHOUT_RESULT = {
    "score": "the score does not follow from game to game",
    "score-back": "the score does not follow from game to game",
    "crawford-unknown": "it may begin with the Crawford game or after it",
    "set-position": "a position was set by hand",
    "last-roll": "the last roll of a game may be missing",
}
"""Reasons why a match has no luck-adjusted result, by finding."""
_MATCH_OVER = "match-over"


@dataclass
class CollectionReading:
    """The records of all files as lines of JSON, and the best one of exact copies.

    `pairs` counts the matches by the names of the left and the right player. `remarks` are
    sentences on names.
    """

    lines: list[bytes] = field(default_factory=list)
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    remarks: list[str] = field(default_factory=list)
    _first: dict[tuple[str, int], tuple[Any, str]] = field(default_factory=dict)
    _known: set[str] = field(default_factory=set)
    _guessed: list[int] = field(default_factory=list)

    def __iter__(self) -> Iterator[Json]:
        return map(json.loads, self.lines)

    def keys(self) -> list[str]:
        """Return the keys of the matches to analyse: of exact copies the best one."""
        return list(dict.fromkeys(key for _, key in self._first.values()))

    def add(self, record: Json) -> Iterator[str]:
        """Add a file's record; yield the keys of the matches that are needed now."""
        if record.get("encoding"):
            self._guessed.append(len(self.lines))
        else:
            self._known |= spellings(names_of(record))
        self.lines.append(json.dumps(record).encode())
        for number, match in enumerate(record["matches"], 1):
            if match["key"]:
                self.pairs[match["names"][0], match["names"][1]] += 1
                order = rank(match, record["file"], number)
                content = content_of(match)
                if content not in self._first or order < self._first[content][0]:
                    self._first[content] = (order, match["key"])
                    yield match["key"]

    def settle_names(self) -> None:
        """Read names of files whose encoding is not certain as other files have them, and say
        so.
        """
        settled = []
        for place in self._guessed:
            before = json.loads(self.lines[place])
            after = with_known_names(before, self._known)
            settled.append(after)
            self.lines[place] = json.dumps(after).encode()
            self.pairs.subtract(
                tuple(match["names"]) for match in before["matches"] if match["key"]
            )
            self.pairs.update(tuple(match["names"]) for match in after["matches"] if match["key"])
        self.pairs = +self.pairs
        self.remarks += remark(settled)


def read_collection(files: Iterable[ListedFile], analyst: Analyst) -> Iterator[CollectionReading]:
    """Read files one by one, and yield the same reading after each.

    The analyst gets every match that is needed and that it does not have, as soon as it is read.
    """
    reading = CollectionReading()
    needed = set[str]()
    with closing(Reader()) as reader:
        for file in files:
            try:
                data = reader.read(file)
            except UnreadableError as problem:
                record = {
                    "file": file.name,
                    "sha256": "",
                    "dialect": "",
                    "problem": escape_controls(str(problem)),
                }
                list(reading.add({**record, "matches": []}))
                yield reading
                continue
            suffix = PurePath(file.name).suffix.lower()
            engine_inputs = None
            name = hashlib.sha256(f"{_READERS} {suffix} ".encode() + data).hexdigest()
            facts = analyst.store.reading(name)
            if facts is None:
                facts, engine_inputs = read_data(data, suffix)
                analyst.store.put_reading(name, facts)
            for key in reading.add(with_facts_of_names({"file": file.name, **facts})):
                if key not in needed and not analyst.has(key):
                    engine_inputs = engine_inputs or read_data(data, suffix)[1]
                    analyst.submit(engine_inputs[key])
                needed.add(key)
            yield reading
    reading.settle_names()


class EngineInputs:
    """The engine inputs of a collection by key, read again from their files on demand."""

    def __init__(self, files: Iterable[ListedFile], reading: CollectionReading) -> None:
        self._files = {file.name: file for file in files}
        self._file_of = {
            match["key"]: line["file"]
            for line in reading
            for match in line["matches"]
            if match["key"]
        }
        self._reader = Reader()
        self._name, self._held = "", dict[str, Json]()

    def of(self, key: str) -> Json | None:
        """Return an engine input; None if its file has changed since it was read."""
        name = self._file_of[key]
        if name != self._name:
            try:
                data = self._reader.read(self._files[name])
            except UnreadableError:
                return None
            self._name, self._held = name, read_data(data, PurePath(name).suffix.lower())[1]
        return self._held.get(key)

    def close(self) -> None:
        self._reader.close()


def xg_figures(records: Iterable[Json]) -> dict[tuple[str, int], list[Json]]:
    """Return XG's figures of left and right, by file and number of the match, from its file or an
    exact copy's.
    """
    matches = {
        (record["file"], number): match
        for record in records
        for number, match in enumerate(record["matches"], 1)
    }
    of_xg = {
        content_of(match): match
        for match in matches.values()
        if match["program"] == "xg" and match["content"]
    }
    found: dict[tuple[str, int], list[Json]] = {}
    for place, match in matches.items():
        source = match if match["program"] == "xg" else of_xg.get(content_of(match))
        if source:
            is_same_side = source["first"] == match["first"]
            found[place] = source["figures"] if is_same_side else source["figures"][::-1]
    return found


def xg_verdicts(figures: Iterable[Json]) -> dict[Place, Json]:
    """Return XG's verdicts on a match's decisions, by game, ply and kind."""
    return {
        (game, ply, kind): {"xg_loss_emg": loss, "xg_by": depth}
        for side in figures
        for game, ply, kind, loss, depth in side["verdicts"]
    }


def read_data(data: bytes, suffix: str) -> tuple[Json, dict[str, Json]]:
    """Return the record of a file and, by key, the engine inputs of its matches.

    The record has `sha256`, `dialect`, `problem` (why nothing was read, or empty) and `matches`.
    Each match has its own `problem` or a `key`, equal for equal engine inputs. An engine input has
    the match for the engine as `text`, engine commands `before` its import, and the facts that the
    import must give (`expected`).
    """
    reading: Json = {
        "sha256": hashlib.sha256(data).hexdigest(),
        "dialect": "",
        "problem": "",
        "matches": [],
    }
    try:
        found = read_file(data, suffix)
        pairs = [_match_record(match, found.figures) for match in found.matches]
    except (MatchTextError, SavedError) as problem:
        reason = str(problem)
    except Exception as problem:  # an error of our readers must not stop the other files
        reason = (
            f"the reader failed on it ({type(problem).__name__}: {problem}): please report this"
            " file"
        )
    else:
        engine_inputs = {
            engine_input["key"]: engine_input for _, engine_input in pairs if engine_input
        }
        dialects = sorted({match.dialect for match in found.matches})
        matches = [match for match, _ in pairs]
        facts = {"dialect": " and ".join(dialects), "matches": matches}
        return reading | facts | {"encoding": encoding_of(found.decoded, matches)}, engine_inputs
    return {**reading, "problem": escape_controls(reason)}, {}


def _match_record(match: Match, figures: Figures | None) -> tuple[Json, Json | None]:
    incomplete = [finding.message for finding in match.findings if finding.code in _OF_INCOMPLETE]
    # Corrections come first, since the last of many findings are only counted.
    findings = sorted(match.findings, key=lambda finding: finding.code != REPAIRED)
    warnings = [_sentence(finding) for finding in findings if finding.code not in _OF_INCOMPLETE]
    if match.match_length > 1 and not match.crawford:
        warnings.append("played without the Crawford rule, with which the engine judges it")
    reasons = [
        _WITHOUT_RESULT[finding.code]
        for finding in match.findings
        if finding.code in _WITHOUT_RESULT
    ]
    if match.match_length and match.complete and reasons:
        warnings.insert(0, f"no luck-adjusted result, since {reasons[0]}")
    record: Json = {
        "key": "",
        "content": content_key(match),
        "moves": moves(match.games),
        "problem": "",
        "match_length": match.match_length,
        "declared_length": match.declared_length,
        "unlimited": match.unlimited,
        "games": len(match.games),
        "rolls": match.rolls,
        "score": list(match.final_score),
        "complete": match.complete,
        "winner": match.winner,
        "date": match.date,
        "event": escape_controls(match.event),
        "round": escape_controls(match.round),
        "names": [escape_controls(player.name) for player in match.players],
        "first": first_roller(match.games),
        "over": any(finding.code == _MATCH_OVER for finding in match.findings),
        "real_names": [escape_controls(player.real_name) for player in match.players],
        "ratings": [player.rating for player in match.players],
        "program": "xg" if figures else "",
        "figures": [_figures(side) for side in figures or ()],
        # Whether the engine sees every game to its end, from a known score on.
        "whole": (
            not reasons
            and all(game.known == len(game.actions) for game in match.games)
            and len(playable_games(match)) == len(match.games)
        ),
        "repairs": sum(finding.code == REPAIRED for finding in match.findings),
        "incomplete": escape_controls("; ".join(incomplete)),
        "warnings": [escape_controls(text) for text in warnings[:MAX_REASONS]],
        "more_warnings": max(0, len(warnings) - MAX_REASONS),
    }
    if not record["content"] or not playable_games(match):
        reasons = ["no roll that can be analysed", *warnings[:1]]
        return {**record, "problem": escape_controls(": ".join(reasons))}, None
    try:
        text = write_mat(replace(match, date=""))
    except ValueError as problem:
        return {**record, "problem": escape_controls(str(problem))}, None
    # Without a cube the Jacoby rule would take every gammon away.
    no_jacoby = match.jacoby is False or (match.jacoby is None and not match.cube)
    before = [] if match.match_length else [f"set jacoby {'off' if no_jacoby else 'on'}"]
    # The word "mat" is in the keys of all stores.
    key = hashlib.sha256(repr((text.encode("ascii"), "mat", before)).encode()).hexdigest()
    engine_input = {
        "key": key,
        "before": before,
        "rolls": match.rolls,
        "text": text,
        "expected": expected_import(match),
    }
    return {**record, "key": key}, engine_input


def _figures(figures: XgFigures) -> Json:
    losses = [loss for *_, loss, _ in figures.verdicts]
    counts = {
        name: sum(loss >= least for loss in losses)
        for name, least in (("errors", COSTLY), ("blunders", BLUNDER))
    }
    return {**asdict(figures), **counts, "pr": figures.pr if figures.decisions else None}


def _sentence(finding: Any) -> str:
    return f"game {finding.game}: {finding.message}" if finding.game else str(finding.message)
