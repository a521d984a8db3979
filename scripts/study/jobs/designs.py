"""Refuse summaries of studies whose matches are not those of their designs as they are now.

Snakemake compares a file with a design only where it made that file itself, in this folder.
"""

from pathlib import Path

from bgrating.tables.provenance import verified
from study.asked import Asked
from study.custody import require_design


def require_matches(asked: Asked, matches: Path) -> None:
    """Compare a table of matches with the design whose folder it lies in. Raises CustodyError, ProvenanceError."""
    study = matches.parent.relative_to(asked.played).as_posix()
    require_design(matches, verified(matches), asked.design(study).seed, asked.cells(study))


def run(asked: Asked, _: str, *summaries: str) -> None:
    for summary in map(Path, summaries):
        matches = summary.with_name("matches.parquet")
        if matches.exists():  # there are none beside a summary of several studies
            require_matches(asked, matches)
