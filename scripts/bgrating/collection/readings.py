"""Read a collection: the records of its files, and the clean matches for the engine.

The store answers for bytes that were read before. Memory holds the records, and no text or engine
input of a file that was read.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import PurePath
from typing import Any

from bgmatch import write_mat
from bgmatch.errors import BgmatchError
from bgmatch.formats.saved import read_file
from bgmatch.model import LEFT, Finding, Match, XgFigures, XgSide
from bgmatch.records import Json
from bgmatch.repair import REPAIRED
from bgmatch.scales import performance_rating
from bgmatch.write import content_key, first_roller, moves, playable_games
from bgrating.analysis.analyst import Analyst
from bgrating.analysis.import_check import expected_import
from bgrating.analysis.store import AnalysisStore
from bgrating.collection.copies import exact_key, rank
from bgrating.collection.encodings import encoding_of, remark, spellings, with_known_names
from bgrating.collection.file_names import with_name_metadata
from bgrating.collection.listing import ListedFile, Reader, UnreadableError
from bgrating.collection.match_record import FileRecord, MatchRecord, record_of
from bgrating.decisions.decision_rows import DecisionId
from bgrating.decisions.thresholds import BLUNDER, COSTLY
from bgrating.tables.csv_safety import escape_controls

_READERS = 5
"""Version of the records of files: raise it where a reader takes something else from a file."""

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

EngineInputsByKey = dict[str, Json]


@dataclass
class CollectionReading:
    """The records of all files, and the best one of exact copies.

    `file_of` has the file of a match by its key. `pairs` counts the matches by the names of the
    left and the right player. `remarks` are sentences on names.
    """

    records: list[FileRecord] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    file_of: dict[str, ListedFile] = field(default_factory=dict)
    _first: dict[tuple[str, int], tuple[Any, str]] = field(default_factory=dict)

    @property
    def pairs(self) -> Counter[tuple[str, str]]:
        matches = [match for record in self.records for match in record.matches if match.key]
        return Counter((match.names[0], match.names[1]) for match in matches)

    def best_keys(self) -> list[str]:
        """Return the keys of the matches to analyse: of exact copies the best one."""
        return list(dict.fromkeys(key for _, key in self._first.values()))

    def add(self, file: ListedFile, record: FileRecord) -> Iterator[str]:
        """Add a file and its record; yield the keys of the matches that are needed now."""
        self.records.append(record)
        for number, match in record.numbered:
            if match.key:
                self.file_of[match.key] = file
                order = rank(match, record.file, number)
                plays = exact_key(match)
                if plays not in self._first or order < self._first[plays][0]:
                    self._first[plays] = (order, match.key)
                    yield match.key

    def settle_names(self) -> None:
        """Read names of files whose encoding is not certain as other files have them, and say
        so.
        """
        certain = [record for record in self.records if not record.note]
        known = spellings(name for record in certain for name in record.names)
        self.records = [with_known_names(record, known) for record in self.records]
        self.remarks += remark(self.records)


def read_collection(
    files: Iterable[ListedFile], store: AnalysisStore, analysts: Sequence[Analyst]
) -> Iterator[CollectionReading]:
    """Read files one by one, and yield the same reading after each.

    An analyst gets a needed match as soon as the match is read. It gets none whose analysis it, or
    an analyst before it, has already.
    """
    reading = CollectionReading()
    needed = set[str]()
    with closing(Reader()) as reader:
        for file in files:
            record, data, engine_inputs = _read(reader, file, store)
            for key in reading.add(file, with_name_metadata(record)):
                for analyst in analysts if key not in needed else ():
                    if analyst.has(key):
                        break
                    engine_inputs = engine_inputs or read_data(data, file.name)[1]
                    analyst.submit(engine_inputs[key])
                needed.add(key)
            yield reading
    reading.settle_names()


def _read(
    reader: Reader, file: ListedFile, store: AnalysisStore
) -> tuple[FileRecord, bytes, EngineInputsByKey]:
    """Return a file's record, its bytes, and its engine inputs if the store did not answer."""
    try:
        data = reader.read(file)
    except UnreadableError as problem:
        return FileRecord(file.name, problem=escape_controls(str(problem))), b"", {}
    name = hashlib.sha256(f"{_READERS} {_suffix(file.name)} ".encode() + data).hexdigest()
    stored = store.reading(name)
    if stored:
        return record_of(stored, file.name), data, {}
    record, engine_inputs = read_data(data, file.name)
    store.put_reading(name, asdict(record))
    return record, data, engine_inputs


def _suffix(name: str) -> str:
    return PurePath(name).suffix.lower()


class EngineInputs:
    """The engine inputs of a collection by key, read again from their files on demand."""

    def __init__(self, file_of: Mapping[str, ListedFile]) -> None:
        self._file_of = file_of
        self._reader = Reader()
        self._file: ListedFile | None = None
        self._inputs: EngineInputsByKey = {}

    def of(self, key: str) -> Json | None:
        """Return an engine input; None if its file has changed since it was read."""
        file = self._file_of[key]
        if file is not self._file:
            try:
                data = self._reader.read(file)
            except UnreadableError:
                return None
            self._file = file
            self._inputs = read_data(data, file.name)[1]
        return self._inputs.get(key)

    def close(self) -> None:
        self._reader.close()


def xg_figures(records: Iterable[FileRecord]) -> dict[tuple[str, int], Sequence[Json]]:
    """Return XG's figures of left and right, by file and number of the match, from its file or an
    exact copy's.
    """
    matches = {
        (record.file, number): match for record in records for number, match in record.numbered
    }
    of_xg = {
        exact_key(match): match for match in matches.values() if match.figures and match.content_key
    }
    figures: dict[tuple[str, int], Sequence[Json]] = {}
    for match_id, match in matches.items():
        source = match if match.figures else of_xg.get(exact_key(match))
        if source:
            is_same_side = source.first == match.first
            figures[match_id] = source.figures if is_same_side else source.figures[::-1]
    return figures


def xg_verdicts(figures: Iterable[Json]) -> dict[DecisionId, Json]:
    """Return XG's verdicts on a match's decisions, by game, ply and kind."""
    return {
        (game, ply, kind): {"xg_loss_emg": loss, "xg_by": depth}
        for side in figures
        for game, ply, kind, loss, depth in side["verdicts"]
    }


def read_data(data: bytes, name: str) -> tuple[FileRecord, EngineInputsByKey]:
    """Return the record of a file and, by key, the engine inputs of its matches.

    An engine input has the match for the engine as `text`, and engine commands `before` its import.
    `expected` has the events that the import must give.
    """
    record = FileRecord(name, hashlib.sha256(data).hexdigest())
    try:
        match_file = read_file(data, _suffix(name))
        pairs = [_match_record(match, match_file.figures) for match in match_file.matches]
    except BgmatchError as problem:
        return replace(record, problem=escape_controls(str(problem))), {}
    except Exception as problem:  # an error of our readers must not stop the other files
        error = f"{type(problem).__name__}: {problem}"
        reason = f"the reader failed on it ({error}): please report this file"
        return replace(record, problem=escape_controls(reason)), {}
    matches = [match for match, _ in pairs]
    engine_inputs = {one["key"]: one for _, one in pairs if one}
    dialect = " and ".join(sorted({match.dialect for match in match_file.matches}))
    encoding = encoding_of(match_file.decoded, matches)
    return replace(record, dialect=dialect, matches=matches, **encoding), engine_inputs


def _match_record(match: Match, figures: XgFigures | None) -> tuple[MatchRecord, Json | None]:
    """Return the record of a match, and its engine input unless the record has a problem."""
    codes = [finding.code for finding in match.findings]
    incomplete = [finding.message for finding in match.findings if finding.code in _OF_INCOMPLETE]
    reasons = [_WITHOUT_RESULT[code] for code in codes if code in _WITHOUT_RESULT]
    playable = playable_games(match)
    is_known = all(game.known == len(game.actions) for game in match.games)
    record = MatchRecord(
        content_key=content_key(match),
        moves=moves(match.games),
        match_length=match.match_length,
        declared_length=match.declared_length,
        unlimited=match.unlimited,
        games=len(match.games),
        rolls=match.rolls,
        score=list(match.final_score),
        complete=match.complete,
        winner=match.winner,
        date=match.date,
        event=escape_controls(match.event),
        round=escape_controls(match.round),
        names=[escape_controls(player.name) for player in match.players],
        real_names=[escape_controls(player.real_name) for player in match.players],
        ratings=[player.rating for player in match.players],
        first=first_roller(match.games) or LEFT,
        over=_MATCH_OVER in codes,
        figures=[_figures(side) for side in figures or ()],
        whole=not reasons and is_known and len(playable) == len(match.games),
        repairs=codes.count(REPAIRED),
        incomplete=escape_controls("; ".join(incomplete)),
        warnings=_warnings(match, reasons),
    )
    if not record.content_key or not playable:
        problem = ": ".join(["no roll that can be analysed", *record.warnings[:1]])
        return replace(record, problem=problem), None
    try:
        engine_input = _engine_input(match)
    except ValueError as problem:
        return replace(record, problem=escape_controls(str(problem))), None
    return replace(record, key=engine_input["key"]), engine_input


def _warnings(match: Match, reasons: Sequence[str]) -> list[str]:
    """Return a match's warnings; `reasons` are those for which it has no luck-adjusted result."""
    # Corrections come first, since the last of many findings are only counted.
    findings = sorted(match.findings, key=lambda finding: finding.code != REPAIRED)
    warnings = [_sentence(finding) for finding in findings if finding.code not in _OF_INCOMPLETE]
    if match.match_length > 1 and not match.crawford:
        warnings.append("played without the Crawford rule, with which the engine judges it")
    if match.match_length and match.complete and reasons:
        warnings.insert(0, f"no luck-adjusted result, since {reasons[0]}")
    return list(map(escape_controls, warnings))


def _sentence(finding: Finding) -> str:
    return f"game {finding.game}: {finding.message}" if finding.game else finding.message


def _engine_input(match: Match) -> Json:
    """Return a match for the engine. Raises ValueError if it cannot be written."""
    text = write_mat(replace(match, date=""))
    # Without a cube the Jacoby rule would take every gammon away.
    no_jacoby = match.jacoby is False or (match.jacoby is None and not match.cube)
    jacoby = "set jacoby off" if no_jacoby else "set jacoby on"
    before = [] if match.match_length else [jacoby]
    # The word "mat" is in the keys of all stores.
    key = hashlib.sha256(repr((text.encode("ascii"), "mat", before)).encode()).hexdigest()
    expected = expected_import(match)
    return {"key": key, "before": before, "rolls": match.rolls, "text": text, "expected": expected}


def _figures(figures: XgSide) -> Json:
    losses = [loss for *_, loss, _ in figures.verdicts]
    return {
        **asdict(figures),
        "errors": sum(loss >= COSTLY for loss in losses),
        "blunders": sum(loss >= BLUNDER for loss in losses),
        "pr": performance_rating(figures.error, figures.decisions) if figures.decisions else None,
    }
