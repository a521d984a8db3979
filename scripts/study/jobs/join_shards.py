"""Write a study's matches into one table."""

from pathlib import Path

from study.pooling import gather
from study.workflow_settings import Settings


def run(settings: Settings, study: str, out: str, *tables: str) -> None:
    """Pool frozen tables, and the tables of shards."""
    gather(settings, study, list(map(Path, tables)), Path(out))
