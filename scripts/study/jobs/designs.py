"""Fail if a summary's matches no longer fit the study design.

Snakemake compares a file with a design only if it made that file itself, in this folder.
"""

from pathlib import Path

from bgrating.tables.provenance import verified
from study.custody import CustodyError, require_seed
from study.pooling import shard_metadata
from study.settings import Settings


def require_matches(settings: Settings, matches: Path) -> str:
    """Return the study whose folder holds a table of matches.

    Raises CustodyError if they belong to another design.
    """
    study = matches.parent.relative_to(settings.played).as_posix()
    metadata = verified(matches)
    require_seed(matches, metadata, settings.design(study).seed)
    if metadata.get("cells") != settings.cells(study):
        raise CustodyError(
            f"{matches} holds matches of another design: delete it and run again, or give another"
            " results="
        )
    return study


def run(settings: Settings, *summaries: str) -> None:
    for summary in map(Path, summaries):
        matches = summary.with_name("matches.parquet")
        if not matches.exists():  # a summary of several studies
            continue
        study = require_matches(settings, matches)
        for part in settings.shards(study):
            if part.archive.is_file():  # neither frozen nor cleared away
                shard_metadata(settings, study, part)
