"""Refuse summaries of studies whose matches are not those of their designs as they are now.

Snakemake compares a file with a design only where it made that file itself, in this folder.
"""

from pathlib import Path

from bgrating.tables.provenance import verified
from study.asked import Asked
from study.custody import require_design
from study.pooling import shard_facts


def require_matches(asked: Asked, matches: Path) -> str:
    """Return the study in whose folder a table of matches lies; raise CustodyError where its design is another."""
    study = matches.parent.relative_to(asked.played).as_posix()
    require_design(matches, verified(matches), asked.design(study).seed, asked.cells(study))
    return study


def run(asked: Asked, _: str, *summaries: str) -> None:
    for summary in map(Path, summaries):
        matches = summary.with_name("matches.parquet")
        if not matches.exists():  # a summary of several studies
            continue
        study = require_matches(asked, matches)
        for part in asked.shards(study):
            if part.archive.is_file():  # neither frozen nor cleared away
                shard_facts(asked, study, part)
