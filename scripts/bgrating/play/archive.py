"""Archives of matches: write them, and have an engine judge them."""

import io
import zipfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from bgmatch.records import Json, Record
from bgrating.engine import levels
from bgrating.engine.commands import analysis_setup, check_analysis
from bgrating.engine.engine_errors import EngineFailedError
from bgrating.engine.levels import Analysis
from bgrating.engine.locate import Engine
from bgrating.engine.session import Session, session
from bgrating.tables.lines import write_plain
from bgrating.tables.provenance import engine_metadata, verified, write_atomic

SCREENED = "screened"
"""The move filter of levels that judge again what a fast level flags (checked.py)."""
_ZIP_DATE = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Limits:
    """Limits of an engine process: `seconds` of CPU, and the `log` for its output."""

    seconds: float
    log: Path


def limits_of(config: Record, log: str) -> Limits:
    return Limits(60.0 * float(config["time_limit_minutes"]), Path(log))


@dataclass(frozen=True)
class ArchiveAnalyst:
    """An engine that analyses matches at a level, and the limits of its process."""

    engine: Engine
    level: Analysis
    limits: Limits

    @contextmanager
    def begun(self) -> Iterator[Session]:
        """Yield the engine's process, set up and checked. Raises EngineError."""
        setup = analysis_setup(self.level)
        with session(self.engine, setup, self.limits.seconds, log=self.limits.log) as running:
            check_analysis(running.report["shown"]["show analysis"], self.level)
            yield running

    def analysed(self, texts: Iterable[str]) -> Iterator[tuple[Json, Any]]:
        """Yield matches with all actions (bgmatch/gnubg_sgf.py), and match-equity tables."""
        with self.begun() as running:
            for text in texts:
                answer = running.result({"task": "analyse", "text": text, "actions": True})
                yield answer["match"], answer["table"]


def analyse_archive(
    analyst: ArchiveAnalyst,
    archive: Path,
    table: Path,
    *,
    unfinished: Set[int] = frozenset(),
    metadata: Record = MappingProxyType({}),
) -> None:
    """Analyse the .mat files of an archive and write a table of one row per match and player.

    Columns: `match` (the file's number), then those of engine/statistics.py. `metadata` has further
    metadata of the provenance. Raises EngineFailedError naming a match that gnubg refused, or one
    that is not complete, unless it is among the `unfinished`. Raises ProvenanceError if the archive
    differs from its provenance.
    """
    verified(archive)
    rows: list[Json] = []
    texts = texts_of(archive)
    with analyst.begun() as running:
        matches = _rows(analyst, running, texts.values())
        for name in texts:
            try:
                sides = next(matches)
            except EngineFailedError as problem:
                raise EngineFailedError(f"{archive}: {name}: {problem}") from problem
            number = int(Path(name).stem)
            if number not in unfinished and not sides[0]["complete"]:
                raise EngineFailedError(f"{archive}: {name} has no end")
            rows += [{"match": number, **side} for side in sides]
    write_plain(
        rows,
        table,
        "study/shard",
        **engine_metadata(running.report),
        analysis=asdict(analyst.level),
        archive=archive.name,
        **metadata,
    )


def _rows(
    analyst: ArchiveAnalyst, running: Session, texts: Collection[str]
) -> Iterator[list[Json]]:
    """Yield the rows of each match."""
    if analyst.level.movefilter == SCREENED:
        # It imports pandas, which takes longer than the start of an engine; few levels need it.
        from bgrating.play.checked import checked  # noqa: PLC0415

        first = replace(analyst, level=levels.analysis("0-ply-no-luck")).analysed(texts)
        yield from checked(first, running, texts)
        return
    for text in texts:
        yield running.result({"task": "analyse", "text": text})["rows"]


def texts_of(archive: Path) -> dict[str, str]:
    """Return the texts of an archive's matches by name."""
    with zipfile.ZipFile(archive) as packed:
        return {name: packed.read(name).decode("ascii") for name in sorted(packed.namelist())}


def write_archive(archive: Path, texts: Mapping[str, str]) -> None:
    """Write texts of matches into a zip whose bytes depend only on the texts.

    It has no dates, and is not compressed, since compressed bytes depend on the library.
    """
    archive_bytes = io.BytesIO()
    with zipfile.ZipFile(archive_bytes, "w", zipfile.ZIP_STORED) as packed:
        for name, text in texts.items():
            entry = zipfile.ZipInfo(name, _ZIP_DATE)
            entry.create_system = 3
            packed.writestr(entry, text.encode("ascii"))
    write_atomic(archive, archive_bytes.getvalue())
