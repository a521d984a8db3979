"""Write a study's matches into one table.

From its frozen tables, or from the analyses of all its shards.
"""

from pathlib import Path

from study.pooling import gather
from study.settings import Settings


def run(settings: Settings, study: str, out: str) -> None:
    gather(settings, study, Path(out))
