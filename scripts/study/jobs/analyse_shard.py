"""Analyse the matches of a shard.

Write a table of one row per match and player, and its provenance.
"""

from pathlib import Path

from bgrating.analysis import ANALYSIS
from bgrating.engine.locate import engine_of
from bgrating.play.archive import ArchiveAnalyst, analyse_archive, limits_of
from bgrating.tables.provenance import verified
from study.custody import cell_of, made_of, require_cell
from study.workflow_settings import Settings


def run(settings: Settings, log: str, archive: str, out: str, study: str, *shard: str) -> None:
    """Analyse an archive.

    `study` and `shard` are the wildcards of its place (as of `Settings.shard`).

    Raises CustodyError if it holds another shard.
    """
    path = Path(archive)
    table = Path(out)
    metadata = verified(path)
    require_cell(path, metadata, settings.task(study, settings.shard(study, *shard)))
    level = settings.design(study).analysis_level()
    analyse_archive(
        ArchiveAnalyst(engine_of(settings.config), level, limits_of(settings.config, log)),
        path,
        table,
        unfinished=frozenset(forfeit["match"] for forfeit in metadata.get("forfeits", ())),
        metadata={
            "cell": cell_of(metadata),
            "figures": ANALYSIS,
            **made_of(table, {path: metadata["sha256"]}),
        },
    )
