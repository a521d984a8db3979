"""Documents with figures from tables: each template in docs/templates renders to the Markdown file of its name.

`./run documents` writes them; a test compares the committed files. A template calls

- `table("1.08/law/slopes")`: the rows of results/1.08/law/slopes.csv;
- `row("1.08/law/slopes", study="people-range", part="all")`: its single row with these values;
- `mean("1.08/statistics/costs", "cpu_per_match", match_length=3)`: the mean of a column over such rows;
- `row(...) | interval("slope", 3)`: "0.977 [0.964, 0.991]", from the columns slope, slope_low and slope_high;
- `figure | number(2)`: two decimals, a comma after the thousands;
- `line(formula("1.08"), "a2")`: a coefficient as a function of match length;
- `over_2003(formula("1.08"), 7)`: a chequer error's cost over that of 2003; `at_2_ply("1.08", "cube_error_emg")`: what
  2-ply finds of the errors of people that 0-ply finds, and in how many matches;
- `calc("--length 7 --pr 6")`: what the calculator prints; `help("rate")`: the help of a command.
"""

import importlib
import os
import shlex
from functools import cache
from pathlib import Path
from typing import Any

import click
import jinja2
import pandas as pd
from click.testing import CliRunner

from bgrating import BgratingError
from bgrating.analysis.second_look import BOARDS
from bgrating.collection.rate import MINUTES
from bgrating.command import SETTINGS
from bgrating.command.calc import command as calculator
from bgrating.pages.positions import SURE
from bgrating.pages.template import records
from bgrating.pages.words import line, number
from bgrating.people.plans import plans
from bgrating.rating.formula import RatingFormula, read_formula
from bgrating.rating.published import published_formula
from bgrating.tables.dictionary import public
from bgrating.tables.provenance import read_provenance, write_atomic
from bgrating.tables.tables import read_rows, read_table
from study.custody import MANIFEST, manifest
from study.pages import interval
from study.people.losses import SCHEMA
from study.pictures import draw_if_changed

_SETTINGS: dict[str, Any] = {**SETTINGS, "terminal_width": 78}
"""Of commands: the width of their help is that of 80 columns, whatever the terminal's."""

PROJECT = Path(__file__).parents[2]
TEMPLATES = PROJECT / "docs" / "templates"
RESULTS = PROJECT / "results"


class DocumentError(BgratingError):
    """A template names a row or a figure that does not exist."""


def documents() -> dict[Path, str]:
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
        "mean": _mean,
        "formula": _formula,
        "calc": _calc,
        "help": _help,
        "zip": zip,
        "over_2003": _over_2003,
        "at_2_ply": _at_2_ply,
        "provenance": lambda name: read_provenance(RESULTS / name),
        "public": public,
        "line": line,
        "agreement": _agreement,
        "minutes": MINUTES,
        "sure": SURE,
        "boards_confirmed": BOARDS,
    }
    environment.filters |= {"interval": interval, "number": number}
    names = [path.relative_to(TEMPLATES) for path in sorted(TEMPLATES.rglob("*.md.j2"))]
    where = {name: PROJECT / ("" if name.stem == "README.md" else "docs") / name.with_suffix("") for name in names}
    return {path: environment.get_template(name.as_posix()).render() for name, path in where.items()}


@click.command()
def command() -> None:
    """Write every document that differs from its template, the manifest of results, and pictures of changed pages."""
    draw_if_changed()
    for path, text in {**documents(), RESULTS / MANIFEST: manifest(RESULTS)}.items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            write_atomic(path, text)
            print(os.path.relpath(path))


@cache
def _table(name: str) -> list[dict[str, Any]]:
    return records(read_table(RESULTS / f"{name}.csv"))


def _row(name: str, **wanted: Any) -> dict[str, Any]:
    rows = [row for row in _table(name) if all(not pd.isna(row[key]) and row[key] == wanted[key] for key in wanted)]
    if len(rows) != 1:
        raise DocumentError(f"{name}.csv has {len(rows)} rows with {wanted}, where a document needs one")
    return rows[0]


def _mean(name: str, column: str, **wanted: Any) -> float:
    rows = [row for row in _table(name) if all(row[key] == wanted[key] for key in wanted)]
    if not rows:
        raise DocumentError(f"{name}.csv has no row with {wanted}")
    return float(sum(row[column] for row in rows) / len(rows))


def _over_2003(formula: RatingFormula, match_length: int) -> float:
    published = published_formula("bilinear").at("a2", match_length)
    return float(formula.at("a2", match_length)["estimate"] / published["estimate"])


def _at_2_ply(nets: str, errors: str) -> tuple[float, int]:
    """Return the errors of people that 2-ply finds over those of 0-ply in the same matches, and their number."""
    table = read_rows(RESULTS / nets / "people-depth" / "frozen" / "losses.parquet", SCHEMA)
    levels = [table[table["level"] == f"1.07.001 {level}"] for level in ("0-ply", "2-ply")]
    both = levels[0].merge(levels[1], on=["match", "side"], suffixes=("", "_deep"))
    return float(both[f"{errors}_deep"].sum() / both[errors].sum()), both["match"].nunique()


def _agreement() -> int:
    """Return on how many labelled positions the rules of game plans agree."""
    labels = pd.read_csv(PROJECT / "tests" / "oracles" / "game_plans.csv")
    found = pd.Series(plans(labels["xgid"].tolist()))
    return int((found.str.split().str[0] == labels["plan"].str.split().str[0]).sum())


def _formula(nets: str) -> RatingFormula:
    return read_formula(RESULTS / nets / "formula.json")


def _calc(words: str) -> str:
    result = CliRunner().invoke(calculator, shlex.split(words), standalone_mode=False, **_SETTINGS)
    if result.exception:
        raise DocumentError(f"calc {words}: {result.exception}")
    return result.output.strip()


def _help(name: str) -> str:
    command: click.Command = importlib.import_module(f"bgrating.command.{name}").command
    return command.get_help(click.Context(command, info_name=f"bgrating {name}", **_SETTINGS))
