"""The data dictionary (dictionary.toml): the columns of every table, and the page about them, results/README.md."""

import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from bgrating.places import DATA
from bgrating.tables.provenance import replace

PAGE = DATA / "results" / "README.md"
_HEAD = """\
# Tables: every column, unit and rule

What is in the repository: `published/` (the numbers of the 2003 paper), and by the engine's nets (`1.07.001/`, `1.08/`)
for each part of the study its frozen tables and what was fitted to them. What a run adds: the shards it plays, and
`quick/`. This page is made from scripts/bgrating/tables/dictionary.toml, which the writers of the tables go by
(`python -m bgrating.tables.dictionary` with `PYTHONPATH=scripts` makes it anew).

Units. EMG: equity normalised by the cube. MWC: match-winning chance, 0 to 1. Errors are magnitudes, never negative.
R: rating difference in FIBS points, positive where the player is weaker. A `.provenance.json`
beside each table, or beside all that one rule writes, says where it came from: engine (version, package, sha256 of
weights and bearoff databases), match-equity table, noise mode, seeds, levels, version of this project's code, number of
rows, sha256 of each table, which is compared whenever the table is read.

CSV: UTF-8, numbers with 10 significant digits, `true` and `false`, an empty cell for what is absent. A text cell that
begins with `=`, `+`, `-`, `@`, an apostrophe or one of their full-width forms is written with an apostrophe before it,
so that no spreadsheet takes it for a formula.
"""


class ColumnsError(ValueError):
    """A table has other columns than the data dictionary says: one of them must be changed."""


@cache
def _content() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def _lines(text: str) -> Iterator[tuple[list[str], str]]:
    """Yield the names and the meaning of every line of columns."""
    for line in text.strip().splitlines():
        names, _, meaning = line.partition(": ")
        yield names.split(", "), meaning


@cache
def _entries(kind: str) -> tuple[str, ...]:
    subject, _, name = kind.partition("/")
    lines = _lines(_content()[subject]["tables"][name]["columns"])
    return tuple(entry for names, _ in lines for entry in names)


def columns(kind: str) -> list[str]:
    """Return the columns of a kind of table (`subject/table`) in their order, without those that may be absent."""
    return [entry for entry in _entries(kind) if not entry.endswith("?")]


def ordered(kind: str, given: Iterable[str]) -> list[str]:
    """Return the columns that a table has in the order of the dictionary. Raises ColumnsError where they do not fit."""
    there = set(given)
    every = [entry.removesuffix("?") for entry in _entries(kind)]
    missing, unknown = [name for name in columns(kind) if name not in there], sorted(there - set(every))
    if missing or unknown:
        raise ColumnsError(f"{kind}: not in the table: {missing}; not in dictionary.toml: {unknown}")
    return [name for name in every if name in there]


def kinds() -> list[str]:
    """Return every kind of table."""
    return [f"{subject}/{name}" for subject, about in _content().items() for name in about.get("tables", ())]


def page() -> str:
    """Return results/README.md."""
    everywhere = _content()["columns"]["about"]
    shared = {name: meaning for names, meaning in _lines(everywhere) for name in names}
    parts = [_HEAD]
    for subject, about in _content().items():
        if subject == "columns":
            continue
        parts.append(f"## {about['title']}\n\n{about['about'].strip()}\n")
        for name, table in about.get("tables", {}).items():
            file = table.get("file", f"{name}.csv")
            rows = [_row(names, meaning, shared) for names, meaning in _lines(table["columns"])]
            parts.append("\n".join([f"### `{file}`: one row per {table['row']}\n", *_TABLE, *rows, ""]))
    return "\n".join(parts)


_TABLE = ("| column | meaning |", "|---|---|")


def _row(names: list[str], meaning: str, shared: dict[str, str]) -> str:
    told = meaning or "; ".join(dict.fromkeys(shared[name] for name in map(_bare, names) if name in shared))
    shown = ", ".join(" … ".join(f"`{one}`" for one in _bare(name).split(" … ")) for name in names)
    return f"| {shown} | {told} |"


def _bare(name: str) -> str:
    return re.sub(r"\?$", "", name)


if __name__ == "__main__":
    replace(PAGE, page())
