"""Make the page of a folder of tables: figures, report.html and summary.txt."""

from pathlib import Path

from study.asked import Asked
from study.pages import write


def run(_: Asked, __: str, about: str, page: str) -> None:
    write(about, Path(page).parent)
