"""Make the page of a folder of tables: figures, report.html and summary.txt."""

from pathlib import Path

from study.asked import Asked
from study.pages import write


def run(_: Asked, kind: str, page: str) -> None:
    write(kind, Path(page).parent)
