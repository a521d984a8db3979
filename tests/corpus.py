"""Cases of tests that are data: tables of inputs with what is expected of each, and whole texts."""

import tomllib
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"


def cases(name: str) -> list[Any]:
    """Return the rows of a table of cases, by the names of its file and of the table."""
    file, _, table = name.partition(".")
    found: list[Any] = values(file)[table]
    return found


def texts(name: str) -> list[str]:
    """Return a table of texts; a row may repeat a text, or give the code of a lone surrogate."""
    return [row if isinstance(row, str) else _text(row) for row in cases(name)]


def _text(row: dict[str, Any]) -> str:
    text: str = chr(row["code"]) if "code" in row else row["text"] * row["times"]
    return text


def values(name: str) -> dict[str, Any]:
    return tomllib.loads(data_text(f"{name}.toml"))


def data_text(name: str) -> str:
    return (DATA / name).read_text(encoding="utf-8")
