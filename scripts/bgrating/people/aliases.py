"""Names of one person: the table of aliases that a user gives, and suggestions for it.

Names that differ in capitals alone are joined unasked, unless the table or a match of theirs shows that they are two.
"""

import codecs
import csv
import difflib
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bgrating.matchtext.headers import composed
from bgrating.settings import SettingsError
from bgrating.suggestion import without_marks
from bgrating.tables.csv_safety import cell, escape_controls, unescape, without_mark
from bgrating.tables.dictionary import columns
from bgrating.tables.folder import regular

if TYPE_CHECKING:  # reading a table of aliases need not wait for it
    import pandas as pd

COLUMNS = columns("human/alias_suggestions")
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})
LARGEST = 10_000_000
"""Bytes of a table of aliases."""
LEAST_LETTERS = 3
"""A word of fewer letters says too little of who bears it."""
MOST_NAMED = 10
"""Names that a remark lists."""


def read_aliases(path: Path) -> dict[str, str]:
    """Read a table of aliases, CSV with the columns `alias` and `name`; others, as in the suggestions, are left alone.

    It is also read as Excel saves it: with semicolons or tabs, in Windows-1252 or UTF-16. A name that has an alias of
    its own stands for that. A name given as its own alias is kept apart from those that differ in capitals alone.

    Raises SettingsError naming what is wrong.
    """
    try:
        with regular(path, LARGEST, through_links=True) as file:
            text = _decoded(file.read())
        head = text.partition("\n")[0]
        reader = csv.DictReader(io.StringIO(text, newline=""), restval="", delimiter=max(",;\t", key=head.count))
        names, rows = reader.fieldnames or (), list(reader)
    except FileNotFoundError:
        raise SettingsError(f"aliases={path}: there is no such file") from None
    except (OSError, ValueError, csv.Error) as problem:
        raise SettingsError(f"aliases={path}: cannot be read as CSV: {problem}") from problem
    if not {"alias", "name"} <= set(names):
        raise SettingsError(f"aliases={path}: needs the columns alias and name, has {', '.join(names) or 'none'}")
    by_alias: dict[str, str] = {}
    for row in rows:
        alias, name = _name(row["alias"] or ""), _name(row["name"] or "")
        if not alias and not name:
            continue
        if not alias or not name:
            lacking, given = ("name", alias) if alias else ("alias", name)
            raise SettingsError(f"aliases={path}: {given!r} has no {lacking} beside it: write one, or delete the row")
        if by_alias.setdefault(alias, name) != name:
            raise SettingsError(f"aliases={path}: {alias!r} is given two names, {by_alias[alias]!r} and {name!r}")
    return {alias: _end_of(alias, by_alias, path) for alias in by_alias}


def _end_of(alias: str, by_alias: Mapping[str, str], path: Path) -> str:
    """Return the name that an alias stands for in the end. Raises SettingsError where aliases go round in a circle."""
    way = [alias]
    while (name := by_alias.get(way[-1], way[-1])) != way[-1]:
        if name in way:
            raise SettingsError(f"aliases={path}: {' -> '.join(map(repr, [*way, name]))} is a circle")
        way.append(name)
    return name


def _decoded(data: bytes) -> str:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252")


def persons(pairs: Mapping[tuple[str, str], int], aliases: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Return the person whom each name stands for, and sentences for the user on what was joined and what was not used.

    `pairs` counts how often two names have played each other. Capitals do not matter to aliases either. Of names that
    differ in capitals alone the one with most matches stands for all, or the one that an alias names. They stay apart
    where one is its own alias, or two of them have played each other.
    """
    counts: Counter[str] = Counter()
    for (one, other), count in pairs.items():
        for name in {one, other} - {""}:
            counts[name] += count
    apart = {alias for alias, name in aliases.items() if alias == name}
    by_letters: dict[str, set[str]] = {}
    for alias, name in aliases.items():
        by_letters.setdefault(alias.casefold(), set()).add(name)
    bearers = {name: aliases.get(name, name) for name in counts}
    rivals = _rivals(pairs, {name: name for name in counts})
    for name in counts.keys() - aliases.keys():
        names = by_letters.get(name.casefold(), set())
        if len(names) == 1 and not names & apart and name.casefold() not in rivals:
            (bearers[name],) = names
    rivals = _rivals(pairs, bearers)
    matches: Counter[str] = Counter()
    for name, count in counts.items():
        matches[bearers[name]] += count
    first: dict[str, str] = {}
    for name in sorted(matches.keys() - apart, key=lambda name: (name not in aliases.values(), -matches[name], name)):
        if name.casefold() not in rivals:
            first.setdefault(name.casefold(), name)
    found = {
        name: bearer if bearer in apart else first.get(bearer.casefold(), bearer) for name, bearer in bearers.items()
    }
    return found, _remarks(found, aliases)


def _rivals(pairs: Iterable[tuple[str, str]], bearers: Mapping[str, str]) -> set[str]:
    """Return the letters of names that differ in capitals alone and have played each other: they are two persons."""
    letters = [name.casefold() for name in set(bearers.values())]
    if len(letters) == len(set(letters)):  # so it is in most long lists, which have many pairs
        return set()
    met = {(bearers.get(one, one), bearers.get(other, other)) for one, other in pairs}
    return {one.casefold() for one, other in met if one != other and one.casefold() == other.casefold()}


def _remarks(found: Mapping[str, str], aliases: Mapping[str, str]) -> list[str]:
    """Return sentences on the names that were joined for their capitals, and on aliases that nobody has."""
    spellings: dict[str, list[str]] = {}
    for name in sorted(found):
        if found[name] != aliases.get(name, name):
            spellings.setdefault(found[name], []).append(name)
    letters = {name.casefold() for name in found}
    unused = sorted(alias for alias in aliases if alias.casefold() not in letters)
    remarks = []
    if spellings:
        listed = _listed([f"{name} ({', '.join(others)})" for name, others in sorted(spellings.items())])
        remarks.append(
            f"Names that differ in capitals alone count as one player: {listed}. A row NAME,NAME in the table of "
            "aliases keeps a name apart."
        )
    if unused:
        remarks.append(f"Aliases that nobody here has: {_listed(unused)}.")
    return remarks


def _listed(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join([*names[:MOST_NAMED], *([f"and {more} more"] if more > 0 else [])])


def joined(matches: "pd.DataFrame", aliases: Mapping[str, str]) -> "pd.DataFrame":
    return matches.assign(
        **{side: matches[side].map(lambda name: aliases.get(name, name)) for side in ("player", "opponent")}
    )


def suggestions(matches: "pd.DataFrame") -> "pd.DataFrame":
    """Return pairs of names that may be one person's, columns COLUMNS, the name with more matches last.

    They differ in capitals, accents, blanks and signs alone, or all words of one are in the other, and of no further
    name: that would be a team. Two names that have played each other are two persons. A name stands for at most one
    other, and no alias is another's name. So the table can be passed back unchanged.
    """
    import pandas as pd  # noqa: PLC0415

    counts = {str(name): int(count) for name, count in matches["player"].value_counts().items()}
    names = sorted(filter(None, counts), key=lambda name: (-counts[name], name))
    rows: dict[str, list[object]] = {}
    kept: list[str] = []
    first: dict[str, str] = {}
    like: dict[str, str] = {}
    for name in names:
        spellings = _letters(name), _letters(name.translate(_UMLAUTS))  # Müller is also written Muller and Mueller
        like[name] = next((first[letters] for letters in spellings if letters in first), name)
        for letters in spellings:
            first.setdefault(letters, like[name])
    met = _met(matches, {name for pair in like.items() if len(set(pair)) == 2 for name in pair})
    for name, other in like.items():
        if other == name or (name, other) in met:
            kept.append(name)
        else:
            rows[name] = [name, other, f"the same but for {_difference(name, other)}", counts[name], counts[other]]
    targets = {str(row[1]) for row in rows.values()}
    contained = list(_contained(kept))
    met = _met(matches, {name for pair in contained for name in pair})
    contained = [pair for pair in contained if pair not in met]
    members = Counter(long for _, long in contained)
    for short, long in contained:
        if members[long] == 1 and short not in targets and short not in rows and long not in rows:
            rows[short] = [short, long, "all its words are in the other", counts[short], counts[long]]
            targets.add(long)
    return pd.DataFrame(list(rows.values()), columns=COLUMNS)


def _met(matches: "pd.DataFrame", names: set[str]) -> set[tuple[str, str]]:
    """Return which of some names have played each other: all pairs of a long list would fill the memory."""
    among = matches[matches["player"].isin(names) & matches["opponent"].isin(names)]
    return set(zip(among["player"], among["opponent"], strict=True))


def known_name(wanted: str, names: Sequence[str]) -> str:
    """Return the name among those of a table that is meant, whatever its capitals, accents, blanks and signs.

    Raises SettingsError naming the nearest where there is none, or where there are several.
    """
    there = set(names)
    for name in (wanted, composed(wanted), escape_controls(composed(wanted)), _name(wanted)):
        if name in there:
            return name
    like: dict[str, list[str]] = {}
    for name in there:
        like.setdefault(_letters(name), []).append(name)
    meant = like.get(_letters(wanted), [])
    if len(meant) == 1:
        return meant[0]
    if meant:
        raise SettingsError(f"player {wanted}: which of them: {', '.join(sorted(meant))}?")
    words = set(_plain(wanted).split())
    near = [name for letters in difflib.get_close_matches(_letters(wanted), like, n=5) for name in like[letters]]
    near += sorted(name for name in there if words & set(_plain(name).split()))
    listed = ", ".join(list(dict.fromkeys(near))[:5])
    raise SettingsError(f"player {wanted}: no such player here" + (f"; did you mean {listed}?" if listed else ""))


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
    if _letters(name) != _letters(other):
        return "umlauts"
    if name.casefold() == other.casefold():
        return "capitals"
    if without_marks(name) == without_marks(other):
        return "accents"
    same = without_marks(name.casefold()) == without_marks(other.casefold())
    return "capitals and accents" if same else "blanks or signs"


def _plain(name: str) -> str:
    small = without_marks(unescape(name).casefold()).casefold()
    return "".join(letter if letter.isalnum() else " " for letter in small)


def _letters(name: str) -> str:
    return "".join(_plain(name).split()) or name


def _name(written: str) -> str:
    unmarked = without_mark(written)
    return escape_controls(composed(unescape(unmarked if cell(unmarked) == written else written)))
