"""Make the page of a folder of tables: figures, report.html and summary.txt."""

from pathlib import Path

from study.pages import write
from study.workflow_settings import Settings


def run(_: Settings, kind: str, page: str) -> None:
    write(kind, Path(page).parent)
