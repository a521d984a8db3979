"""Analyse a batch of contents with one engine process, and find the one that an engine cannot survive."""

import base64
import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from bgrating.collection.batches import KILLED, read_batch, time_limit
from bgrating.collection.import_check import differences, imported_key
from bgrating.decisions.kept import batch_of, write_part
from bgrating.decisions.rows import decisions
from bgrating.engine.commands import check_analysis
from bgrating.engine.error_sizes import error_sizes
from bgrating.engine.errors import EngineCrashedError, EngineFailedError, EngineKilledError, EngineTimeoutError
from bgrating.engine.levels import Analysis
from bgrating.engine.locate import Engine
from bgrating.engine.statistics import match_rows
from bgrating.play.shards import Limits, analyse_matches
from bgrating.tables.csv_safety import shown
from bgrating.tables.dictionary import columns
from bgrating.tables.provenance import engine_facts
from bgrating.tables.tables import write_table

Json = dict[str, Any]

_FATAL = (EngineCrashedError, EngineKilledError, EngineTimeoutError, EngineFailedError)


def analyse_batch(
    engine: Engine, level: Analysis, batch: Path, table: Path, limits: Limits, decided: Path | None = None
) -> None:
    """Analyse a batch and write its table: two rows a content, one for a content that could not be analysed.

    `decided` is where the decisions go (decisions/rows.py), if they are wanted.
    """
    outcome = _Outcome(engine, level, limits)
    groups = [list(read_batch(batch))]
    while groups:
        group = groups.pop(0)
        done, problem = outcome.attempt(group)
        rest = group[done:]
        # The next one was at work when the engine ended: it is tried alone, the others go on without it.
        if len(group) == 1 and rest:
            outcome.reject(rest[0], problem)
        elif rest:
            groups[:0] = [part for part in (rest[:1], rest[1:]) if part]
    if decided is not None:
        write_part(outcome.decisions, decided)
    facts = {**outcome.engine_facts, "rejected": outcome.rejected, "killed": outcome.killed}
    rows = pd.DataFrame(outcome.rows).reindex(columns=columns("human/batch"))
    write_table(rows, table, "human/batch", **facts, analysis=asdict(level), batch=batch.name)


class _Outcome:
    """What an analysis has given so far."""

    def __init__(self, engine: Engine, level: Analysis, limits: Limits) -> None:
        self.rows: list[Json] = []
        self.decisions: list[pa.RecordBatch] = []
        self.rejected = 0
        self.killed: list[str] = []
        self.engine_facts: Json = {}
        self._engine, self._level, self._limits = engine, level, limits

    def attempt(self, group: Sequence[Json]) -> tuple[int, str]:
        """Analyse contents in one process; return how many were done, and what ended it early."""
        seconds = time_limit(self._level, sum(one["rolls"] for one in group), self._limits.seconds)
        problem = ""
        with tempfile.TemporaryDirectory(prefix="bgrating-") as place:
            folder = Path(place)
            matches = [_job(one, number, folder) for number, one in enumerate(group)]
            try:
                answer = analyse_matches(
                    self._engine, self._level, matches, folder, replace(self._limits, seconds=seconds)
                )
                lines, tables = answer.matches, answer.match_equity_tables
                self.engine_facts = engine_facts(answer)
            except _FATAL as error:
                early = _said_before(folder / "answer.jsonl")
                if early is None:
                    raise
                check_analysis(early.shown, self._level)
                lines, tables = early.matches, early.tables
                problem = _reason(error, seconds)
        for content, line in zip(group, lines, strict=False):
            self.keep(content, line, tables)
        return len(lines), problem

    def keep(self, content: Mapping[str, Any], line: Json, tables: Mapping[int, Any]) -> None:
        """Keep what the engine said of a content; what makes no sense is its own problem and no other's."""
        try:
            rows = self._rows(content, line, tables)
        except Exception as error:  # the one barrier round a content
            reason = f"its figures cannot be read ({type(error).__name__}: {error}): please report this file"
            self.reject(content, reason)
        else:
            self.rows += rows

    def reject(self, content: Mapping[str, Any], problem: str) -> None:
        """Note that a content has no figures, and why."""
        self.rejected += 1
        if problem.startswith(KILLED):
            self.killed.append(content["key"])
        self.rows.append({"key": content["key"], "problem": shown(problem), "format": content["format"]})

    def _rows(self, content: Mapping[str, Any], line: Json, tables: Mapping[int, Any]) -> list[Json]:
        expected = content["expected"]
        if "refused" in line:
            self.reject(content, f"the engine refused it: {line['refused'] or 'no reason given'}")
            return []
        if expected is None and not any(row["kind"] == "move" for game in line["games"] for row in game["actions"]):
            self.reject(content, "the engine found no match in it")
            return []
        about: Json = {"key": content["key"], "problem": "", "format": content["format"]}
        if expected is not None:
            about["differences"] = shown("; ".join(differences(expected, line["length"], line["games"])))
        else:
            about["content"] = imported_key(line["games"])
            about["date"] = line["date"]
        table = tables.get(line["length"])
        sizes = error_sizes(line, table)
        rows = []
        for row in match_rows(line, table):
            figures = {key: value for key, value in row.items() if key not in {"player", "opponent"}}
            figures |= sizes[row["side"]]
            # The engine's player names come from us unless only it has read them.
            name = shown(row["player"]) if expected is None else ""
            rows.append({**about, "name": name, **figures})
        self.decisions.append(batch_of(content["key"], decisions(line, table)))
        return rows


@dataclass(frozen=True)
class _Early:
    shown: str
    tables: Mapping[int, Any]
    matches: Sequence[Json]


def _said_before(answer: Path) -> _Early | None:
    """Return what an engine that ended early had said; None where it had not come to its first match."""
    lines = []
    for text in answer.read_text(encoding="utf-8").splitlines(keepends=True) if answer.is_file() else ():
        if text.endswith("\n"):
            lines.append(json.loads(text))
    told = next((line["shown"]["show analysis"] for line in lines if "shown" in line), None)
    if told is None:
        return None
    tables = [line["match_equity_table"] for line in lines if "match_equity_table" in line]
    matches = [line for line in lines if "file" in line]
    return _Early(told, {table["length"]: table["table"] for table in tables}, matches)


def _job(content: Mapping[str, Any], number: int, folder: Path) -> Json:
    """Write a content under a name of our own and return what the engine is told of it."""
    name = f"{number:05d}.{'mat' if content['format'] == 'mat' else 'match'}"
    (folder / name).write_bytes(base64.b64decode(content["data"]))
    job = {"file": name, "actions": True}
    return job | {key: content[key] for key in ("format", "before", "after")}


def _reason(error: Exception, seconds: float) -> str:
    if isinstance(error, EngineKilledError):
        return f"{KILLED}: the engine was ended while it was at work on it; run again"
    if isinstance(error, EngineCrashedError):
        return "the engine crashed on it"
    if isinstance(error, EngineTimeoutError):
        return f"the engine did not finish with it within {seconds:.0f} s"
    told = [line for line in str(error).splitlines() if re.match(r"[A-Za-z]+(Error|Exception)\b", line)]
    return f"the engine failed on it: {(told or str(error).splitlines())[-1 if told else 0]}"
