"""Names of one person: the table of aliases that a user gives, and suggestions for it. Nothing is merged unasked."""

import unicodedata
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pandas as pd

from bgrating.matchtext.headers import composed
from bgrating.settings import SettingsError
from bgrating.tables.csv_safety import cell, shown
from bgrating.tables.dictionary import columns

COLUMNS = columns("human/alias_suggestions")
LEAST_LETTERS = 3
"""A word of fewer letters says too little of who bears it."""


def read_aliases(path: Path) -> dict[str, str]:
    """Read a table of aliases, CSV with the columns `alias` and `name`; others, as in the suggestions, are left alone.

    Raises SettingsError naming what is wrong.
    """
    try:
        table = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    except (OSError, ValueError) as problem:
        raise SettingsError(f"aliases={path}: cannot be read as CSV: {problem}") from problem
    if not {"alias", "name"} <= set(table.columns):
        raise SettingsError(f"aliases={path}: needs the columns alias and name, has {', '.join(table.columns)}")
    twice = table[table.duplicated("alias") & ~table.duplicated(["alias", "name"])]
    if len(twice):
        raise SettingsError(f"aliases={path}: {twice['alias'].iloc[0]!r} stands for two names")
    return {_name(alias): _name(name) for alias, name in zip(table["alias"], table["name"], strict=True)}


def joined(matches: pd.DataFrame, aliases: Mapping[str, str]) -> pd.DataFrame:
    """Return the matches with the players' and opponents' names replaced by those the aliases stand for."""
    return matches.assign(
        **{side: matches[side].map(lambda name: aliases.get(name, name)) for side in ("player", "opponent")}
    )


def suggestions(matches: pd.DataFrame) -> pd.DataFrame:
    """Return pairs of names that may be one person's, columns COLUMNS, the name with more matches last.

    They differ in capitals, accents, blanks and signs alone, or all words of one are in the other. Two names that have
    played each other are two persons. A name stands for one other at most, and no alias is another's name, so that the
    table can be given back as it is. Names with a backslash are left out: an alias could not be told from its escape.
    """
    counts = {str(name): int(count) for name, count in matches["player"].value_counts().items()}
    names = sorted((name for name in counts if name and "\\" not in name), key=lambda name: (-counts[name], name))
    met = set(zip(matches["player"], matches["opponent"], strict=True))
    rows: dict[str, list[object]] = {}
    kept: list[str] = []
    first: dict[str, str] = {}
    for name in names:
        other = first.setdefault(_letters(name), name)
        if other == name or (name, other) in met:
            kept.append(name)
        else:
            rows[name] = [name, other, f"the same but for {_difference(name, other)}", counts[name], counts[other]]
    targets = {str(row[1]) for row in rows.values()}
    for short, long in _contained(kept):
        if short not in targets and short not in rows and long not in rows and (short, long) not in met:
            rows[short] = [short, long, "all its words are in the other", counts[short], counts[long]]
            targets.add(long)
    return pd.DataFrame(list(rows.values()), columns=COLUMNS)


def _contained(names: list[str]) -> Iterator[tuple[str, str]]:
    """Yield names with the first other, in the order given, that has all their words and more."""
    words = {name: frozenset(_plain(name).split()) for name in names}
    bearers: dict[str, list[str]] = {}
    for name in names:
        for word in words[name]:
            bearers.setdefault(word, []).append(name)
    for name in names:
        telling = [word for word in words[name] if len(word) >= LEAST_LETTERS]
        rarest = min(telling, key=lambda word: (len(bearers[word]), word), default="")
        longer = next((other for other in bearers.get(rarest, ()) if words[name] < words[other]), None)
        if longer is not None:
            yield name, longer


def _difference(name: str, other: str) -> str:
    steps: dict[str, Callable[[str], str]] = {"capitals": str.casefold, "accents": _without_marks}
    for what, step in steps.items():
        if step(name) == step(other):
            return what
    return (
        "capitals and accents"
        if _without_marks(name.casefold()) == _without_marks(other.casefold())
        else "blanks or signs"
    )


def _without_marks(name: str) -> str:
    parted = unicodedata.normalize("NFKD", name)
    return "".join(letter for letter in parted if not unicodedata.combining(letter))


def _plain(name: str) -> str:
    """Return a name in small letters without accents, every sign a blank."""
    small = _without_marks(name.casefold()).casefold()
    return "".join(letter if letter.isalnum() else " " for letter in small)


def _letters(name: str) -> str:
    """Return the letters and digits of a name, or the name itself where it has none."""
    return "".join(_plain(name).split()) or name


def _name(written: str) -> str:
    """Return the name that a cell stands for, whether or not it bears the apostrophe of our tables."""
    marked = written.startswith("'") and cell(written[1:]) == written
    return shown(composed(written[1:] if marked else written))
