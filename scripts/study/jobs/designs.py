"""Refuse summaries of studies whose matches do not belong to their designs as they are now.

Snakemake compares a file with a design only if it made that file itself, in this folder.
"""

from pathlib import Path

from bgrating.tables.provenance import verified
from study.asked import Asked
from study.custody import CustodyError, require_seed
from study.pooling import shard_facts


def require_matches(asked: Asked, matches: Path) -> str:
    """Return the study whose folder holds a table of matches. Raises CustodyError if they belong to another design."""
    study, facts = matches.parent.relative_to(asked.played).as_posix(), verified(matches)
    require_seed(matches, facts, asked.design(study).seed)
    if facts.get("cells") != asked.cells(study):
        raise CustodyError(
            f"{matches} holds matches of another design: delete it and run again, or give another results="
        )
    return study


def run(asked: Asked, *summaries: str) -> None:
    for summary in map(Path, summaries):
        matches = summary.with_name("matches.parquet")
        if not matches.exists():  # a summary of several studies
            continue
        study = require_matches(asked, matches)
        for part in asked.shards(study):
            if part.archive.is_file():  # neither frozen nor cleared away
                shard_facts(asked, study, part)
