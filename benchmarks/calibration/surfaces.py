"""List every interval and every chance that tables, answers and pages show, by the names that stand
for them.
"""

import json
import re
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from bgrating.places import DATA

INTERVAL = re.compile(r"(^|_)(low|high|p25|p75)($|_)")
CHANCE = re.compile(r"(^|_)chances?($|_)|^p_(?!wins|value)|^half")
IN_PAGE = re.compile(
    r"\b\w*(?:_low|_high|chance|p_champion|p_first|p_better|below\b|leader|\bhalf\b)\w*\b"
)
EXPRESSION = re.compile(r"{{.*?}}|{%.*?%}", re.DOTALL)
IN_SCRIPT = re.compile(r"\b(?:half|chance|sure|low|high)\b")
COMMENT = re.compile(r"//.*")


def surfaces() -> Iterator[str]:
    """Yield `table KIND: COLUMN`, `answer COMMAND: FIELD`, `page TEMPLATE: NAME`, `script FILE:
    NAME`.
    """
    dictionary = (DATA / "scripts" / "bgrating" / "tables" / "dictionary.toml").read_text(
        encoding="utf-8"
    )
    for subject, about in tomllib.loads(dictionary).items():
        for name, table in about.get("tables", {}).items():
            yield from (
                f"table {subject}/{name}: {column}"
                for column in _columns(table)
                if _is_shown(column)
            )
    schema = json.loads(
        (DATA / "docs" / "reference" / "answers.schema.json").read_text(encoding="utf-8")
    )
    for command, about in schema["$defs"].items():
        yield from sorted(
            {f"answer {command}: {name}" for name in _fields(about) if _is_shown(name)}
        )
    for path in sorted((DATA / "report").glob("*.j2")):
        yield from (f"page {path.name}: {name}" for name in sorted(_names(path)))
    for path in sorted((DATA / "report").glob("*.js")):
        code = COMMENT.sub("", path.read_text(encoding="utf-8"))
        yield from (f"script {path.name}: {name}" for name in sorted({*IN_SCRIPT.findall(code)}))


def uncovered(figures: dict[str, Any]) -> list[str]:
    """Return the surfaces that no figure, and no exemption, of figures.toml covers."""
    patterns = [pattern for about in figures.values() for pattern in about["shows"]]
    return [one for one in surfaces() if not any(fnmatchcase(one, pattern) for pattern in patterns)]


def _columns(table: dict[str, str]) -> Iterator[str]:
    """Yield the names of the columns of a table of the data dictionary."""
    for line in table["columns"].strip().splitlines():
        yield from (name.removesuffix("?") for name in line.partition(": ")[0].split(", "))


def _is_shown(name: str) -> bool:
    return bool(INTERVAL.search(name) or CHANCE.search(name))


def _fields(about: Any) -> Iterator[str]:
    """Yield the names of all properties of a schema, however deep."""
    if isinstance(about, dict):
        yield from about.get("properties", {})
        for part in about.values():
            yield from _fields(part)
    elif isinstance(about, list):
        for part in about:
            yield from _fields(part)


def _names(path: Path) -> set[str]:
    """Return the names in the expressions of a template that stand for an interval or a chance."""
    text = path.read_text(encoding="utf-8")
    return {name for found in EXPRESSION.findall(text) for name in IN_PAGE.findall(found)}
