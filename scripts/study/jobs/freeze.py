"""Write the played matches of a study into one permanent table per match length."""

from pathlib import Path

from study.pooling import freeze
from study.workflow_settings import Settings


def run(settings: Settings, study: str, *tables: str) -> None:
    for line in freeze(settings, study, list(map(Path, tables))):
        print(line)
