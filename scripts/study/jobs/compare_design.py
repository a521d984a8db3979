"""Fail if a summary's matches no longer fit the study design; else print the summary.

Snakemake compares a file with a design only if it made that file itself, in this folder.
"""

from pathlib import Path

from study.pooling import require_matches, shard_metadata
from study.workflow_settings import Settings


def run(settings: Settings, *files: str) -> None:
    """Check and print the summaries among files of studies."""
    for summary in map(Path, files):
        if summary.name != "summary.txt":
            continue
        study = require_matches(settings, summary.with_name("matches.parquet"))
        for shard in settings.shards(study, folder=summary.parent):
            if shard.archive.is_file():  # neither frozen nor cleared away
                shard_metadata(settings, study, shard)
        print(summary.read_text(encoding="utf-8"), end="")
