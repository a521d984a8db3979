"""Names of one person: the user's table of aliases, and suggestions for it.

Names that differ only in capitals are joined by default, unless the table or a match between them
shows two persons.
"""

import csv
import difflib
import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bgmatch.decoder import Decoded, decoded
from bgmatch.headers import composed
from bgrating.settings import SettingsError
from bgrating.suggestion import without_marks
from bgrating.tables.csv_safety import cell, escape_controls, unescape, without_mark
from bgrating.tables.dictionary import columns
from bgrating.tables.regular import regular

if TYPE_CHECKING:  # a table of aliases is read without it
    import pandas as pd

COLUMNS = columns("human/alias_suggestions")
_UMLAUTS = str.maketrans(
    {
        "ä": "ae",
        "ö": "oe",
        "ü": "ue",
        "ø": "oe",
        "å": "aa",
        "Ä": "Ae",
        "Ö": "Oe",
        "Ü": "Ue",
        "Ø": "Oe",
        "Å": "Aa",
    }
)
_PLAIN = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"}
)
"""Plain spellings of letters that are not another letter with a mark."""
LONG_WORD = 6
"""Smallest number of letters of a word in which one letter more, less or other may be a typing
error."""
LARGEST = 10_000_000
"""Largest size of a table of aliases, in bytes."""
LEAST_LETTERS = 3
"""Shorter words are too common to identify a person."""
MOST_NAMED = 10
"""Largest number of names that a notice lists."""


def read_aliases(path: Path) -> dict[str, str]:
    """Read a table of aliases, CSV with the columns `alias` and `name`; other columns are ignored.

    Excel's variants are read, too: semicolons or tabs, UTF-16, or the code page of a country if its
    words show which. If a name is itself an alias, it is replaced in turn. A name that is its own
    alias is kept apart from names that differ only in capitals.

    Raises SettingsError naming the fault.
    """
    try:
        with regular(path, LARGEST, through_links=True) as file:
            text = _text(decoded(file.read()))
        head = text.partition("\n")[0]
        reader = csv.DictReader(
            io.StringIO(text, newline=""), restval="", delimiter=max(",;\t", key=head.count)
        )
        names = reader.fieldnames or ()
        rows = list(reader)
    except FileNotFoundError:
        raise SettingsError(f"aliases={path}: there is no such file") from None
    except (OSError, ValueError, csv.Error) as problem:
        raise SettingsError(f"aliases={path}: cannot be read as CSV: {problem}") from problem
    if not {"alias", "name"} <= set(names):
        raise SettingsError(
            f"aliases={path}: needs the columns alias and name, has {', '.join(names) or 'none'}"
        )
    by_alias: dict[str, str] = {}
    for row in rows:
        alias = _name(row["alias"] or "")
        name = _name(row["name"] or "")
        if not alias and not name:
            continue
        if not alias or not name:
            lacking, given = ("name", alias) if alias else ("alias", name)
            raise SettingsError(
                f"aliases={path}: {given!r} has no {lacking} beside it: write one, or delete"
                " the row"
            )
        if by_alias.setdefault(alias, name) != name:
            raise SettingsError(
                f"aliases={path}: {alias!r} is given two names, {by_alias[alias]!r} and {name!r}"
            )
    return {alias: _final_name(alias, by_alias, path) for alias in by_alias}


def _final_name(alias: str, by_alias: Mapping[str, str], path: Path) -> str:
    """Return the name at the end of a chain of aliases.

    Raises SettingsError if the chain is a circle.
    """
    chain = [alias]
    while (name := by_alias.get(chain[-1], chain[-1])) != chain[-1]:
        if name in chain:
            raise SettingsError(
                f"aliases={path}: {' -> '.join(map(repr, [*chain, name]))} is a circle"
            )
        chain.append(name)
    return name


def _text(found: Decoded) -> str:
    """Return a text whose encoding is known.

    Raises ValueError, since a wrong letter would give a person a new name.
    """
    if found.is_open:
        raise ValueError(f"{found.note}; save it as CSV UTF-8")
    return found.text


def persons(
    pairs: Mapping[tuple[str, str], int], aliases: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """Return the person of each name, and notices about joined names and unused aliases.

    `pairs` counts the matches of each two names. Capitals do not matter to aliases. If names differ
    only in capitals, the one with most matches is the person, or the one that an alias names. Names
    stay apart if one is its own alias, or if two of them have played each other.
    """
    counts: Counter[str] = Counter()
    for pair, count in pairs.items():
        for name in set(pair) - {""}:
            counts[name] += count
    apart = {alias for alias, name in aliases.items() if alias == name}
    by_letters: dict[str, set[str]] = {}
    for alias, name in aliases.items():
        by_letters.setdefault(alias.casefold(), set()).add(name)
    by_name = {name: aliases.get(name, name) for name in counts}
    rivals = _rivals(pairs, {name: name for name in counts})
    for name in counts.keys() - aliases.keys():
        names = by_letters.get(name.casefold(), set())
        if len(names) == 1 and not names & apart and name.casefold() not in rivals:
            (by_name[name],) = names
    rivals = _rivals(pairs, by_name)
    matches: Counter[str] = Counter()
    for name, count in counts.items():
        matches[by_name[name]] += count
    first: dict[str, str] = {}
    for name in sorted(
        matches.keys() - apart,
        key=lambda name: (name not in aliases.values(), -matches[name], name),
    ):
        if name.casefold() not in rivals:
            first.setdefault(name.casefold(), name)
    found = {
        name: person if person in apart else first.get(person.casefold(), person)
        for name, person in by_name.items()
    }
    return found, _notices(found, aliases)


def _rivals(pairs: Iterable[tuple[str, str]], by_name: Mapping[str, str]) -> set[str]:
    """Return the letters of names that differ only in capitals and have played each other.

    They are two persons.
    """
    letters = [name.casefold() for name in set(by_name.values())]
    if len(letters) == len(set(letters)):  # as in most lists; long ones have many pairs
        return set()
    met = {(by_name.get(first, first), by_name.get(second, second)) for first, second in pairs}
    return {
        first.casefold()
        for first, second in met
        if first != second and first.casefold() == second.casefold()
    }


def _notices(found: Mapping[str, str], aliases: Mapping[str, str]) -> list[str]:
    """Return sentences about names that were joined although their capitals differ, and about
    unused aliases.
    """
    spellings: dict[str, list[str]] = {}
    for name in sorted(found):
        if found[name] != aliases.get(name, name):
            spellings.setdefault(found[name], []).append(name)
    letters = {name.casefold() for name in found}
    unused = sorted(alias for alias in aliases if alias.casefold() not in letters)
    notices = []
    if spellings:
        listed = _listed(
            [f"{name} ({', '.join(others)})" for name, others in sorted(spellings.items())]
        )
        notices.append(
            f"Names that differ in capitals alone count as one player: {listed}. A row NAME,NAME in"
            " the table of aliases keeps a name apart."
        )
    if unused:
        notices.append(f"Aliases that nobody here has: {_listed(unused)}.")
    return notices


def _listed(names: list[str]) -> str:
    more = [f"and {len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []
    return ", ".join(names[:MOST_NAMED] + more)


def joined(matches: "pd.DataFrame", aliases: Mapping[str, str]) -> "pd.DataFrame":
    return matches.assign(
        **{
            side: matches[side].map(lambda name: aliases.get(name, name))
            for side in ("player", "opponent")
        }
    )


def suggestions(matches: "pd.DataFrame") -> "pd.DataFrame":
    """Return pairs of names that may be of one person (COLUMNS), the name with more matches last.

    They differ only in capitals, accents, blanks, signs or the order of words; or one has initials
    for words of the other; or a long word has one letter more, less or other; or one has all words
    of the other. A name with all words of several others is a team. Nicknames are not found. Two
    names that have played each other are two persons. An alias has one name, and no name is an
    alias. So the table can be passed back unchanged.
    """
    import pandas as pd  # noqa: PLC0415

    counts = {str(name): int(count) for name, count in matches["player"].value_counts().items()}
    names = sorted(filter(None, counts), key=lambda name: (-counts[name], name))
    rows: dict[str, list[object]] = {}
    kept: list[str] = []
    first: dict[str, str] = {}
    like: dict[str, str] = {}
    for name in names:
        spellings = _spellings(name)
        like[name] = next((first[letters] for letters in spellings if letters in first), name)
        for letters in spellings:
            first.setdefault(letters, like[name])
    met = _met(matches, {name for pair in like.items() if len(set(pair)) == 2 for name in pair})
    for name, other in like.items():
        if other == name or (name, other) in met:
            kept.append(name)
        else:
            rows[name] = [
                name,
                other,
                f"the same but for {_difference(name, other)}",
                counts[name],
                counts[other],
            ]
    targets = {str(row[1]) for row in rows.values()}
    found = [(*pair, reason) for reason, search in _SEARCHES.items() for pair in search(kept)]
    met = _met(matches, {name for *pair, _ in found for name in pair})
    found = [pair for pair in found if pair[:2] not in met]
    members = Counter(long for _, long, reason in found if reason == _CONTAINED)
    for short, long, reason in found:
        is_team = reason == _CONTAINED and members[long] > 1
        if not is_team and short not in targets and short not in rows and long not in rows:
            rows[short] = [short, long, reason, counts[short], counts[long]]
            targets.add(long)
    return pd.DataFrame(list(rows.values()), columns=COLUMNS)


def _met(matches: "pd.DataFrame", names: set[str]) -> set[tuple[str, str]]:
    """Return the pairs of some names that have played each other.

    All pairs of a long list would fill the memory.
    """
    among = matches[matches["player"].isin(names) & matches["opponent"].isin(names)]
    return set(zip(among["player"], among["opponent"], strict=True))


def known_name(given: str, names: Sequence[str]) -> str:
    """Return the name of a table that equals the given one apart from capitals, accents, blanks and
    signs.

    Raises SettingsError with the nearest names if there is none, or if there are several.
    """
    if given in names:
        return given
    like: dict[str, list[str]] = {}
    for name in names:
        like.setdefault(letters_of(name), []).append(name)
    letters = letters_of(_name(given))
    equal = like.get(letters, [])
    if len(equal) == 1:
        return equal[0]
    if equal:
        raise SettingsError(f"player {given}: which of them: {', '.join(sorted(equal))}?")
    near = [name for close in difflib.get_close_matches(letters, like, n=5) for name in like[close]]
    near += sorted(name for name in names if set(_words(given)) & set(_words(name)))
    listed = ", ".join(list(dict.fromkeys(near))[:5])
    raise SettingsError(
        f"player {given}: no such player here" + (f"; did you mean {listed}?" if listed else "")
    )


def _contained(names: list[str]) -> Iterator[tuple[str, str]]:
    """Yield names with the first other name, in the order given, that has all their words and
    more.
    """
    words = {name: _words(name) for name in names}
    by_word = _by_word(words)
    for name in names:
        long_words = [word for word in words[name] if len(word) >= LEAST_LETTERS]
        rarest = min(long_words, key=lambda word: (len(by_word[word]), word), default="")
        longer = next(
            (other for other in by_word.get(rarest, ()) if set(words[name]) < set(words[other])),
            None,
        )
        if longer is not None:
            yield name, longer


def _by_word(words: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Return the names with each word, from the words of each name."""
    by_word: dict[str, list[str]] = {}
    for name, own in words.items():
        for word in set(own):
            by_word.setdefault(word, []).append(name)
    return by_word


def _initials(names: list[str]) -> Iterator[tuple[str, str]]:
    """Yield names with initials and the one other name, of two words or more, that they
    abbreviate.
    """
    words = {name: _words(name) for name in names}
    by_word = _by_word(words)
    for name in names:
        whole = [word for word in words[name] if len(word) > 1]
        letters = [word for word in words[name] if len(word) == 1]
        if not letters or not any(len(word) >= LEAST_LETTERS for word in whole):
            continue
        rarest = min(whole, key=lambda word: len(by_word[word]))
        full = [other for other in by_word[rarest] if _abbreviates(whole, letters, words[other])]
        if len(full) == 1:
            yield name, full[0]


def _abbreviates(whole: Sequence[str], initials: Sequence[str], words: Sequence[str]) -> bool:
    rest = Counter(words) - Counter(whole)
    left = sorted(rest.elements())
    is_full = rest.total() == len(words) - len(whole) == len(initials) and all(
        len(word) > 1 for word in left
    )
    return is_full and sorted(initials) == sorted(word[0] for word in left)


def _slips(names: list[str]) -> Iterator[tuple[str, str]]:
    """Yield names with the first other name that differs by one letter in one long word."""
    first: dict[tuple[str, ...], list[str]] = {}
    for name in names:
        words = _words(name)
        keys = [
            (*words[:at], word[:cut] + word[cut + 1 :], *words[at + 1 :], str(at))
            for at, word in enumerate(words)
            if len(word) >= LONG_WORD
            for cut in range(len(word))
        ]
        keys += [(*words, str(at)) for at, word in enumerate(words) if len(word) >= LONG_WORD - 1]
        others = [other for key in keys for other in first.get(key, [])]
        other = next((other for other in others if _is_slip(words, _words(other))), None)
        if other is not None:
            yield name, other
        for key in keys:
            first.setdefault(key, []).append(name)


def _is_slip(words: Sequence[str], others: Sequence[str]) -> bool:
    """Tell whether one word differs by one letter that is no digit.

    A single word needs eight letters.
    """
    pairs = [pair for pair in zip(words, others, strict=True) if pair[0] != pair[1]]
    if len(pairs) != 1 or (len(words) == 1 and len(words[0]) < LONG_WORD + 2):
        return False
    short, long = sorted(pairs[0], key=len)
    at = next((at for at, letter in enumerate(short) if letter != long[at]), len(short))
    changed = short[at : at + 1] + long[at]
    if any(map(str.isdigit, changed)) or len(long) < LONG_WORD:
        return False
    return short[at:] == long[at + 1 :] or (
        len(short) == len(long) and short[at + 1 :] == long[at + 1 :]
    )


_CONTAINED = "all its words are in the other"
_SEARCHES: dict[str, Callable[[list[str]], Iterator[tuple[str, str]]]] = {
    "initials of the other": _initials,
    "one letter more, less or other": _slips,
    _CONTAINED: _contained,
}


def _spellings(name: str) -> list[str]:
    """Return spellings that equal names share.

    Müller is also Muller and Mueller, Smith, John is John Smith.
    """
    spellings = [letters_of(name), letters_of(name.translate(_UMLAUTS))]
    for written in (name, name.translate(_UMLAUTS)):
        words = _words(written)
        if len(words) > 1 and min(map(len, words)) > 1:
            spellings.append(" ".join(sorted(words)))
    return spellings


def _difference(name: str, other: str) -> str:
    if sorted(letters_of(name)) != sorted(letters_of(other)):
        return "umlauts"
    if letters_of(name) != letters_of(other):
        return "the order of its words"
    return "capitals, accents, blanks or signs"


def _words(name: str) -> list[str]:
    """Return the words of a name, without capitals, accents and signs."""
    small = without_marks(unescape(name).casefold()).casefold()
    return "".join(
        letter if letter.isalnum() else " " for letter in small.translate(_PLAIN)
    ).split()


def letters_of(name: str) -> str:
    return "".join(_words(name)) or name


def _name(written: str) -> str:
    unmarked = without_mark(written)
    return escape_controls(composed(unescape(unmarked if cell(unmarked) == written else written)))
