"""Refuse summaries of studies whose matches are not those of their designs as they are now.

Snakemake compares a file with a design only where it made that file itself, in this folder.
"""

from pathlib import Path

from bgrating.tables.provenance import read_provenance
from study.asked import Asked
from study.custody import require_design


def run(asked: Asked, _: str, *summaries: str) -> None:
    for summary in map(Path, summaries):
        matches = summary.with_name("matches.parquet")
        if not matches.exists():  # a summary of several studies
            continue
        study = summary.parent.relative_to(asked.played).as_posix()
        require_design(matches, read_provenance(matches), asked.design(study).seed, asked.cells(study))
