"""The data dictionary (dictionary.toml): the columns of every table, and the page about the public tables."""

import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

PUBLIC = (
    "human/files", "human/matches", "human/players", "human/decisions", "ratings/league", "ratings/head_to_head",
    "ratings/elo", "ratings/elo_log", "ratings/logistic", "ratings/eloworld", "study/points", "study/coefficients",
)  # fmt: skip
"""Public tables, whose columns stay (docs/reference/tables.md describes them)."""
_HEAD = """\
# Tables

The tables that others read. dictionary.toml in scripts/bgrating/tables describes all of them; the writers of tables use
it. `./run documents` writes this page.

EMG is equity normalised by the cube, MWC match-winning chance from 0 to 1. Errors are never negative. R is a rating
difference in FIBS points, positive where the player is weaker. CSV files are UTF-8, with ten digits, `true` and
`false`; an empty cell is absent. A text cell that a spreadsheet would take for a formula begins with an apostrophe. A
`.provenance.json` beside the tables names engine, level, formula, seeds, version and the sha256 of each table.
"""


class ColumnsError(ValueError):
    """The columns of a table and the data dictionary differ; one of them must be changed."""


@cache
def _content() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def _lines(text: str) -> Iterator[tuple[list[str], str]]:
    for line in text.strip().splitlines():
        names, _, meaning = line.partition(": ")
        yield names.split(", "), meaning


@cache
def _entries(kind: str) -> tuple[str, ...]:
    subject, _, name = kind.partition("/")
    lines = _lines(_content()[subject]["tables"][name]["columns"])
    return tuple(entry for names, _ in lines for entry in names)


def columns(kind: str) -> list[str]:
    """Return the columns of a kind of table (`subject/table`) in their order, without optional ones."""
    return [entry for entry in _entries(kind) if not entry.endswith("?")]


def ordered(kind: str, given: Iterable[str]) -> list[str]:
    """Return the columns of a table in the order of the dictionary. Raises ColumnsError for wrong columns."""
    present = set(given)
    every = [entry.removesuffix("?") for entry in _entries(kind)]
    missing, unknown = [name for name in columns(kind) if name not in present], sorted(present - set(every))
    if missing or unknown:
        raise ColumnsError(f"{kind}: not in the table: {missing}; not in dictionary.toml: {unknown}")
    return [name for name in every if name in present]


def kinds() -> list[str]:
    return [f"{subject}/{name}" for subject, about in _content().items() for name in about.get("tables", ())]


def page() -> str:
    """Return docs/reference/tables.md."""
    shared = {name: meaning for names, meaning in _lines(_content()["columns"]["about"]) for name in names}
    parts = [_HEAD]
    for subject, about in _content().items():
        public = {name: table for name, table in about.get("tables", {}).items() if f"{subject}/{name}" in PUBLIC}
        if public:
            parts.append(f"## {about['title']}\n")
        for name, table in public.items():
            rows = [_row(names, meaning, shared) for names, meaning in _lines(table["columns"])]
            head = f"### `{table.get('file', f'{name}.csv')}`: one row per {table['row']}\n"
            parts.append("\n".join([head, *_TABLE, *rows, ""]))
    return "\n".join(parts)


_TABLE = ("| column | meaning |", "|---|---|")


def _row(names: list[str], meaning: str, shared: dict[str, str]) -> str:
    names = [name.removesuffix("?") for name in names]
    text = meaning or "; ".join(dict.fromkeys(shared[name] for name in names if name in shared))
    quoted = ", ".join(" … ".join(f"`{end}`" for end in name.split(" … ")) for name in names)
    return f"| {quoted} | {text} |"
