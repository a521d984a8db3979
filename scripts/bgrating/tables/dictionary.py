"""The data dictionary (dictionary.toml): columns and meaning of every table."""

import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from bgmatch.records import Json


class ColumnsError(ValueError):
    """The columns of a table and the data dictionary differ; one of them must be changed."""


@cache
def _dictionary() -> Json:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def _lines(text: str) -> Iterator[tuple[list[str], str]]:
    for line in text.strip().splitlines():
        names, _, meaning = line.partition(": ")
        yield names.split(", "), meaning


def _table(kind: str) -> Json:
    """Return what the dictionary says of a kind of table (`subject/table`)."""
    subject, _, name = kind.partition("/")
    table: Json = _dictionary()[subject]["tables"][name]
    return table


@cache
def _entries(kind: str) -> tuple[str, ...]:
    lines = _lines(_table(kind)["columns"])
    return tuple(entry for names, _ in lines for entry in names)


def columns(kind: str) -> list[str]:
    """Return the required columns of a kind of table (`subject/table`) in their order."""
    return [entry for entry in _entries(kind) if not entry.endswith("?")]


def texts() -> set[str]:
    """Return the names of the columns that are always text."""
    return set(_dictionary()["columns"]["texts"])


def types(kind: str) -> dict[str, str]:
    """Return the columns of a Parquet table in their order, each with its type in Arrow."""
    return dict(_table(kind)["types"])


def ordered(kind: str, names: Iterable[str]) -> list[str]:
    """Return the columns of a table in the order of the dictionary.

    Raises ColumnsError for wrong columns.
    """
    present = set(names)
    every = [entry.removesuffix("?") for entry in _entries(kind)]
    missing = sorted(set(columns(kind)) - present)
    unknown = sorted(present - set(every))
    if missing or unknown:
        raise ColumnsError(
            f"{kind}: not in the table: {missing}; not in dictionary.toml: {unknown}"
        )
    return [name for name in every if name in present]


def kinds() -> list[str]:
    return [
        f"{subject}/{name}"
        for subject, section in _dictionary().items()
        for name in section.get("tables", ())
    ]


def public() -> Iterator[tuple[Json, str, str, list[tuple[list[str], str]]]]:
    """Yield of every public table its subject, the file, the meaning of a row, and columns.

    A subject has a title and a text about its tables. Columns are names with their meaning.
    """
    lines = _lines(_dictionary()["columns"]["about"])
    shared = {name: meaning for names, meaning in lines for name in names}
    for kind in _dictionary()["columns"]["public"]:
        table = _table(kind)
        subject, _, file = kind.partition("/")
        columns = []
        for names, meaning in _lines(table["columns"]):
            plain = [name.removesuffix("?") for name in names]
            meanings = dict.fromkeys(shared[name] for name in plain if name in shared)
            columns.append((plain, meaning or "; ".join(meanings)))
        name = table.get("file", f"{file}.csv")
        yield _dictionary()[subject], name, table["row"], columns
