"""The template environment of all pages. It formats numbers, so templates get tables as they are.

A page extends base.html.j2 and writes tables with the macro `table` of macros.html.j2. A column of
a table is a tuple: heading, name, format, and prefix. The name may be a pattern such as
"{wins:.0f} of {games:.0f}". A value with an interval has the prefix of the columns `low` and
`high`. A format is a number of decimals or a dictionary of words, and text has none. Other formats
are `milli` (thousandths), `%1` (per cent, one decimal), `p` (a probability) and `svg` (a chart of
charts.py).
"""

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import jinja2
import pandas as pd
from markupsafe import Markup

from bgmatch.records import Json, Record
from bgrating.pages import formatting
from bgrating.places import DATA
from bgrating.tables.csv_safety import cell as csv_cell
from bgrating.tables.csv_safety import quoted

TEMPLATES = DATA / "report"

_IMAGES = {".svg": "svg+xml", ".png": "png"}
_FOLD = 20
"""Most rows of a table that is neither folded nor has a filter (page.js, page.css)."""
_MOST = 5000
"""Most rows of a table on a page."""


class TableCell(NamedTuple):
    """A cell of a table: its text, and whether it is a figure, which is aligned right."""

    text: str
    is_figure: bool


def page(name: str, /, **variables: Any) -> str:
    """Render a template. It escapes the contents; a missing variable is an error."""
    text = _environment().get_template(name).render(**variables)
    # A path may contain bytes that are not UTF-8.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def drawn(macro: str, /, *values: Any) -> str:
    """Return the chart that a macro of charts.html.j2 draws."""
    return str(getattr(_environment().get_template("charts.html.j2").module, macro)(*values))


def embedded(data: bytes, suffix: str) -> str:
    """Return a picture as a data URI, whose scripts no browser runs in an image."""
    return f"data:image/{_IMAGES[suffix]};base64,{base64.b64encode(data).decode('ascii')}"


def pictures(paths: Iterable[Path], titles: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return figures by file name, with title and data URI.

    `kind-N` has the title of its kind and the length N.
    """
    by_name = {}
    for path in paths:
        kind, _, length = path.stem.rpartition("-")
        title = titles.get(path.stem) or f"{titles[kind]}, {formatting.lengths((int(length),))}"
        by_name[path.stem] = {"title": title, "address": embedded(path.read_bytes(), path.suffix)}
    return by_name


def records(table: Any) -> list[Json]:
    return list(iterate_records(table) if isinstance(table, pd.DataFrame) else table)


def iterate_records(table: pd.DataFrame) -> Iterator[Json]:
    # DataFrame.to_dict is much slower, and would take most of the time of writing a site.
    names = [str(name) for name in table]
    for row in zip(*(table[name].tolist() for name in table), strict=True):
        yield dict(zip(names, row, strict=True))


def cell(row: Record, column: tuple[Any, ...]) -> TableCell:
    """Return the cell of a row in a column (see the module)."""
    _, name, form, stem = (*column, None, None)[:4]
    if "{" in name:
        return TableCell(name.format_map(row), is_figure=form is not None)
    value = row[name]
    if form == "svg":
        return TableCell(Markup(value), is_figure=False)
    if isinstance(form, Mapping):
        return TableCell(str(form.get(value, value)), is_figure=False)
    if form is None:
        return TableCell(formatting.ABSENT if _is_absent(value) else str(value), is_figure=False)
    text = formatted(value, form)
    if stem is not None and text != formatting.ABSENT:
        ends = [formatted(row[f"{stem}{end}"], form) for end in ("low", "high")]
        if ends != [formatting.ABSENT] * 2:
            # The no-break space keeps an interval on one line in a narrow column.
            text += f" [{ends[0]},\u00a0{ends[1]}]"
    return TableCell(text, is_figure=True)


def formatted(value: Any, form: int | str = 0) -> str:
    """Return a figure in a format; a dash for a missing value."""
    if _is_absent(value):
        return formatting.ABSENT
    if isinstance(form, int):
        return formatting.number(float(value), form)
    if form == "milli":
        return formatting.milli(float(value))
    if form == "p":
        return "below 0.0001" if value < 1e-4 else f"{value:.2g}"
    return formatting.number(100 * float(value), int(form.removeprefix("%") or 0))


def provenance_rows(provenance: Record) -> list[tuple[str, str]]:
    """Flatten nested provenance to rows of a name and a value."""
    return sorted(_flattened(provenance))


def _flattened(provenance: Record, prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, value in provenance.items():
        if isinstance(value, Mapping):
            yield from _flattened(value, f"{prefix}{name}: ")
        else:
            values = value if isinstance(value, list) else [value]
            yield f"{prefix}{name}", ", ".join(map(str, values))


def data(value: Any) -> str:
    """Return JSON for a script element; `<` is escaped, so no name can end the element."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).replace(
        "<", "\\u003c"
    )


def packed(value: Any) -> str:
    """Return compressed JSON that report/board.js unpacks: a third of its length."""
    return base64.b64encode(zlib.compress(data(value).encode(), level=4)).decode("ascii")


def _alias_row(twin: Record) -> str:
    """Return a row of a CSV of aliases for `read_aliases`."""
    return ",".join(quoted(csv_cell(str(twin[name]))) for name in ("alias", "name"))


def _is_absent(value: Any) -> bool:
    return bool(pd.isna(value)) or value == ""


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")


def _style(name: str) -> str:
    """Return a minified stylesheet, since thousands of pages contain it."""
    text = re.sub(r"/\*.*?\*/", "", (TEMPLATES / name).read_text(encoding="utf-8"), flags=re.DOTALL)
    return re.sub(r"\s*([{};,>])\s*", r"\1", text).replace(";}", "}").replace(": ", ":")


def _script(name: str) -> str:
    """Return a script without comments and indents; a comment starts a line or follows blanks."""
    text = (TEMPLATES / name).read_text(encoding="utf-8")
    text = re.sub(r"(^ *| +)// .*", "", text, flags=re.MULTILINE)
    text = re.sub(r"\s*\n\s*", "\n", text).strip()
    # A line does not end after these signs, nor before a point or a closing bracket.
    return re.sub(r"(?<=[{(\[,=>&|?:;])\n|\n(?=[.)\]}?:&|])", "", text)


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {
        f"{name}_script": _script(f"{name}.js")
        for name in ("reader", "page", "duel", "board", "play", "quiz", "filter", "find")
    }
    environment.globals |= {f"{name}_style": _style(f"{name}.css") for name in ("page", "board")}
    environment.globals |= {"style": _style("style.css"), "FOLD": _FOLD, "MOST": _MOST}
    environment.filters |= {
        "records": records,
        "data": data,
        "packed": packed,
        "cell": cell,
        "formatted": formatted,
        "short": formatting.short,
        "isolated": formatting.isolated,
        "grade_below": formatting.grade_below,
        "counted": formatting.counted,
        "leader": formatting.leader,
        "provenance_rows": provenance_rows,
        "digest": _digest,
        "csv_line": _alias_row,
    }
    return environment
