"""Write a study's matches into one table: from its frozen tables, or from the analyses of all its shards."""

from pathlib import Path

from study.asked import Asked
from study.pooling import gather


def run(asked: Asked, study: str, out: str) -> None:
    gather(asked, study, Path(out))
