"""`bgrating cache`: the store of analyses."""

import re
from contextlib import closing
from dataclasses import asdict

import click

from bgrating.analysis.store import LIMIT, VARIABLE, Size, Store, StoreError, default_path
from bgrating.command import JSON, SETTINGS, tell

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def _bytes(text: str) -> int:
    match = re.fullmatch(r"(\d{1,12}(?:\.\d{1,9})?) ?([KMGT]?)B?", text.upper(), re.ASCII)
    if not match:
        raise click.BadParameter(f"{text!r} is no size; write it as 500M or 2G")
    return int(float(match[1]) * _UNITS[match[2]])


@click.command(context_settings=SETTINGS)
@click.option(
    "--limit", type=_bytes, metavar="SIZE", help="how large the store may become, such as 2G"
)
@click.option("--clear", is_flag=True, help="forget every analysis")
@JSON
def command(limit: int | None, clear: bool, as_json: bool) -> None:
    """Show, bound or empty the store of analyses, which keeps matches from being analysed twice.

    It is one file in your cache folder. BGRATING_STORE=FILE names another, BGRATING_STORE=off does
    without.

    \b
    Examples:
      bgrating cache
      bgrating cache --limit 5G
      bgrating cache --clear
    """
    path = default_path()
    if path is None:
        raise StoreError(f"there is no store: {VARIABLE} is off")
    size = Size(0, LIMIT, 0, 0)
    text = "empty"
    if path.exists() or limit is not None:
        with closing(Store(path)) as store:
            if limit is not None:
                store.bound(limit)
            if clear:
                store.clear()
            size = store.size()
        text = (
            f"{_with_unit(size.taken)} of at most {_with_unit(size.limit)}: {size.analyses:,}"
            " analysed matches"
        )
    answer = {"command": "cache", "path": str(path), **asdict(size)}
    tell(answer, f"{path}\n{text}", as_json=as_json)


def _with_unit(size: int) -> str:
    unit = next(unit for unit in "TGMK" if size >= _UNITS[unit] or unit == "K")
    return f"{size / _UNITS[unit]:.3g} {unit}B".replace("K", "k")
