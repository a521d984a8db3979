"""Documents with figures from tables.

Each template in docs/templates renders to the Markdown file of its name.

`./run documents` writes them; a test compares the committed files. A template calls

- `table("1.08/law/slopes")`: the rows of results/1.08/law/slopes.csv;
- `row("1.08/law/slopes", study="people-range", part="all")`: its single row with these values;
- `row(...) | interval("slope", 3)`: "0.977 [0.964, 0.991]", from the columns slope, slope_low and
  slope_high;
- `row(...) | excluded(1, "ci")`: "1 is not excluded", by the interval in the columns ci_low and
  ci_high;
- `figure | apart("below", "above")`: "31 points below", or "above" for a negative figure;
- `figure | number(2)`: two decimals, a comma after the thousands;
- `line(formula("1.08"), "a2")`: a coefficient as a function of match length;
- `calc("--length 7 --pr 6")`: what the calculator prints; `help("rate")`: the help of a command;
- `constant("bgleague.games.MOST")`: a number that the code has a name for.
"""

import importlib
import os
import pkgutil
import shlex
from functools import cache
from pathlib import Path
from typing import Any

import click
import jinja2
import pandas as pd
from click.testing import CliRunner

from bgmatch.records import Json
from bgrating import BgratingError, __version__
from bgrating.command import COMMANDS, SETTINGS
from bgrating.command.calc import command as calculator
from bgrating.pages.formatting import line, number
from bgrating.pages.template import records
from bgrating.rating.formula import RatingFormula, read_formula
from bgrating.tables.dictionary import public
from bgrating.tables.provenance import read_provenance, write_atomic
from bgrating.tables.table_files import read_csv, read_table
from study.manifest import MANIFEST, manifest
from study.pages import apart, excluded, interval

# Settings of click: help is written for 80 columns, whatever the width of the terminal.
_SETTINGS: Json = {**SETTINGS, "terminal_width": 78}
PROJECT = Path(__file__).parents[2]
TEMPLATES = PROJECT / "docs" / "templates"
RESULTS = PROJECT / "results"


class DocumentError(BgratingError):
    """A template names a row or a figure that does not exist."""


def documents() -> dict[Path, str]:
    """Return the rendered texts of all documents by path."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.globals |= {
        "table": _table,
        "row": _row,
        "formula": _formula,
        "calc": _calc,
        "help": _help,
        "zip": zip,
        "provenance": lambda name: read_provenance(RESULTS / name),
        "public": public,
        "line": line,
        "constant": pkgutil.resolve_name,
        "version": __version__,
    }
    environment.filters |= {
        "interval": interval,
        "number": number,
        "excluded": excluded,
        "apart": apart,
    }
    texts = {}
    for path in sorted(TEMPLATES.rglob("*.md.j2")):
        name = path.relative_to(TEMPLATES)
        folder = PROJECT if name.stem == "README.md" else PROJECT / "docs"
        texts[folder / name.with_suffix("")] = environment.get_template(name.as_posix()).render()
    return texts


@click.command()
def command() -> None:
    """Write documents whose text has changed, and the manifest of results."""
    for path, text in {**documents(), RESULTS / MANIFEST: manifest(RESULTS)}.items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            write_atomic(path, text)
            print(os.path.relpath(path))


@cache
def _table(name: str) -> list[Json]:
    if name.startswith("published/"):  # typed off the paper, so without provenance
        return records(read_csv(RESULTS / f"{name}.csv"))
    return records(read_table(RESULTS / f"{name}.csv"))


def _row(name: str, **values: Any) -> Json:
    rows = [row for row in _table(name) if _has(row, values)]
    if len(rows) != 1:
        raise DocumentError(
            f"{name}.csv has {len(rows)} rows with {values}, where a document needs one"
        )
    return rows[0]


def _has(row: Json, values: Json) -> bool:
    return all(not pd.isna(row[key]) and row[key] == values[key] for key in values)


def _formula(engine_version: str) -> RatingFormula:
    return read_formula(RESULTS / engine_version / "formula.json")


def _calc(options: str) -> str:
    arguments = shlex.split(options)
    result = CliRunner().invoke(calculator, arguments, standalone_mode=False, **_SETTINGS)
    if result.exception:
        raise DocumentError(f"calc {options}: {result.exception}")
    return result.output.strip()


def _help(name: str) -> str:
    module, _ = COMMANDS[name]
    command: click.Command = importlib.import_module(module).command
    return command.get_help(click.Context(command, info_name=f"bgrating {name}", **_SETTINGS))
