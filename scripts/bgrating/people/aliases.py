"""Names of one person: the user's table of aliases, and suggestions for it.

Names that differ only in capitals are joined by default, unless the table or a match between them
shows two persons.
"""

import csv
import difflib
import io
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bgmatch.decoder import decoded
from bgmatch.headers import composed
from bgrating.settings_files import SettingsError
from bgrating.suggestion import without_marks
from bgrating.tables.csv_safety import cell, escape_controls, unescape, without_mark
from bgrating.tables.dictionary import columns
from bgrating.tables.regular import regular

if TYPE_CHECKING:  # a table of aliases is read without it
    import pandas as pd

COLUMNS = columns("human/alias_suggestions")
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
_PLAIN = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"}
)
"""Plain spellings of letters that are not another letter with a mark."""
LONG_WORD = 6
"""Smallest number of letters of a word in which one letter more, less or other may be a typing
error."""
LONGEST_WORD = 40  # letters, since its spellings take memory with their square
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
            table = decoded(file.read())
        text = table.text
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
    if table.is_open:  # a wrong letter would give a person a new name
        raise SettingsError(
            f"aliases={path}: cannot be read as CSV: {table.note}; save it as CSV UTF-8"
        )
    if not {"alias", "name"} <= set(names):
        raise SettingsError(
            f"aliases={path}: needs the columns alias and name, has {', '.join(names) or 'none'}"
        )
    by_alias: dict[str, str] = {}
    for row in rows:
        alias, name = (_name(row[column] or "") for column in ("alias", "name"))
        if not alias and not name:
            continue
        if not alias or not name:
            lacking = "name" if alias else "alias"
            raise SettingsError(
                f"aliases={path}: {alias or name!r} has no {lacking} beside it: write one, or"
                " delete the row"
            )
        if by_alias.setdefault(alias, name) != name:
            raise SettingsError(
                f"aliases={path}: {alias!r} is given two names, {by_alias[alias]!r} and {name!r}"
            )
    return {alias: _final_name(alias, by_alias, path) for alias in by_alias}


def add_alias(path: Path, alias: str, name: str) -> None:
    """Add a row to a table of aliases, which need not exist."""
    path.parent.mkdir(parents=True, exist_ok=True)
    heads = [] if path.exists() else [("alias", "name")]
    with path.open("a", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([*heads, (alias, name)])


def _final_name(alias: str, by_alias: Mapping[str, str], path: Path) -> str:
    """Return the name at the end of a chain of aliases.

    Raises SettingsError if the chain is a circle.
    """
    chain = [alias]
    while (name := by_alias.get(chain[-1], chain[-1])) not in chain:
        chain.append(name)
    if name != chain[-1]:
        circle = " -> ".join(map(repr, [*chain, name]))
        raise SettingsError(f"aliases={path}: {circle} is a circle")
    return name


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
        counts.update(dict.fromkeys(set(pair) - {""}, count))
    kept_apart = {alias for alias, name in aliases.items() if alias == name}
    rivals = _rivals(pairs, aliases)
    by_letters: dict[str, set[str]] = {}
    for alias, name in aliases.items():
        by_letters.setdefault(alias.casefold(), set()).add(name)
    named: dict[str, str] = {}
    matches: Counter[str] = Counter()
    for name, count in counts.items():
        targets_of_letters = by_letters.get(name.casefold(), set())
        is_clear = (
            len(targets_of_letters) == 1
            and not targets_of_letters & kept_apart
            and name.casefold() not in rivals
        )
        named[name] = aliases.get(name, min(targets_of_letters) if is_clear else name)
        matches[named[name]] += count
    targets = set(aliases.values())
    first: dict[str, str] = {}
    for name in sorted(matches, key=lambda name: (name not in targets, -matches[name], name)):
        if name not in kept_apart and name.casefold() not in rivals:
            first.setdefault(name.casefold(), name)
    joined_as = {person: first.get(person.casefold(), person) for person in matches}
    joined_as |= {person: person for person in kept_apart}
    person_by_name = {name: joined_as[person] for name, person in named.items()}
    return person_by_name, _notices(person_by_name, aliases)


def _rivals(pairs: Iterable[tuple[str, str]], aliases: Mapping[str, str]) -> set[str]:
    """Return the letters of names that differ only in capitals and have played each other.

    Names are compared as they are written, and after the aliases.
    """
    rivals = set()
    for pair in pairs:
        for first, second in (pair, [aliases.get(name, name) for name in pair]):
            if first != second and first.casefold() == second.casefold():
                rivals.add(first.casefold())
    return rivals


def _notices(person_by_name: Mapping[str, str], aliases: Mapping[str, str]) -> list[str]:
    """Return sentences about names that were joined although their capitals differ, and about
    unused aliases.
    """
    spellings: dict[str, list[str]] = {}
    for name, person in sorted(person_by_name.items()):
        if person != aliases.get(name, name):
            spellings.setdefault(person, []).append(name)
    joined_names = [
        f"{name} ({', '.join(other_spellings)})"
        for name, other_spellings in sorted(spellings.items())
    ]
    letters = {name.casefold() for name in person_by_name}
    unused = sorted(alias for alias in aliases if alias.casefold() not in letters)
    notices = []
    if joined_names:
        notices.append(
            f"Names that differ in capitals alone count as one player: {_listed(joined_names)}. A"
            " row NAME,NAME in the table of aliases keeps a name apart."
        )
    if unused:
        notices.append(f"Aliases that nobody here has: {_listed(unused)}.")
    return notices


def _listed(names: Sequence[str]) -> str:
    ending = f", and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + ending


def joined(matches: "pd.DataFrame", aliases: Mapping[str, str]) -> "pd.DataFrame":
    return matches.assign(
        **{
            side: matches[side].map(lambda name: aliases.get(name, name))
            for side in ("player", "opponent")
        }
    )


def suggestions(matches: "pd.DataFrame") -> "pd.DataFrame":
    """Return pairs of names that may be of one person (COLUMNS).

    They differ only in capitals, accents, blanks, signs or the order of words. Or one has initials
    for words of the other, or all words of the other. Or a long word has a slip (_slip_keys).
    Initials and words that two others have are not suggested. A name with all words of several
    others is a team. Nicknames are not found. Two names that have played each other are
    two persons. An alias has one name, and no name is an alias. So the table can be passed back
    unchanged.
    """
    import pandas as pd  # noqa: PLC0415

    counts = Counter(matches["player"])
    names = sorted(filter(None, counts), key=lambda name: (-counts[name], name))
    twins = _spelt_alike(names)
    aliases = {twin.alias for twin in twins}
    twins += _similar([name for name in names if name not in aliases])
    met = _met(matches, {name for twin in twins for name in (twin.alias, twin.name)})
    twins = [twin for twin in twins if (twin.alias, twin.name) not in met]
    members = Counter(twin.name for twin in twins if twin.reason == _CONTAINED)
    rows: dict[str, list[object]] = {}
    targets: set[str] = set()
    for alias, name, reason in twins:
        is_team = reason == _CONTAINED and members[name] > 1
        if not is_team and alias not in targets and not rows.keys() & {alias, name}:
            rows[alias] = [alias, name, reason, counts[alias], counts[name]]
            targets.add(name)
    return pd.DataFrame(list(rows.values()), columns=COLUMNS)


class _Twin(NamedTuple):
    """A name that may be another spelling of the other, and why."""

    alias: str
    name: str
    reason: str


def _spelt_alike(names: Iterable[str]) -> list[_Twin]:
    """Return the names that share a spelling with an earlier one."""
    first: dict[str, str] = {}
    twins = []
    for name in names:
        spellings = _spellings(name)
        earlier = next((first[letters] for letters in spellings if letters in first), name)
        first |= dict.fromkeys(spellings, earlier)
        if earlier != name:
            twins.append(_Twin(name, earlier, _ALIKE))
    return twins


def _similar(names: Sequence[str]) -> list[_Twin]:
    """Return the names that are similar to another one; `names` has those of most matches first."""
    words = {name: _words(name) for name in names}
    by_key: dict[str, list[str]] = {}
    for name in names:
        for key in {*words[name], *_slip_keys(words[name])}:
            by_key.setdefault(key, []).append(name)
    twins = []
    for name in reversed(names):
        # A name with all words of this one has its rarest word.
        long_words = [word for word in words[name] if len(word) >= LEAST_LETTERS]
        rarest = sorted(long_words, key=lambda word: (len(by_key[word]), word))[:1]
        near = {other for word in rarest for other in by_key[word]}
        abbreviated = [other for other in near if _abbreviates(words[name], words[other])]
        holding = [other for other in near if set(words[name]) < set(words[other])]
        for reason, others in ((_INITIALS, abbreviated), (_CONTAINED, holding)):
            if len(others) == 1:
                twins.append(_Twin(name, others[0], reason))
        slips = [other for key in _slip_keys(words[name]) for other in by_key[key] if other != name]
        if slips:
            twins.append(_Twin(name, min(slips, key=names.index), _SLIP))
    return sorted(twins, key=lambda twin: twin.reason == _CONTAINED)


def _slip_keys(words: Sequence[str]) -> list[str]:
    """Return the words with one long word as it is, and without each of its letters.

    Names that differ by one letter of it, or by two that have changed places, share one of them. A
    single word needs eight letters, and a word with a digit is no slip.
    """
    least = LONG_WORD if len(words) > 1 else LONG_WORD + 2
    keys = []
    for at, word in enumerate(words):
        if word.isalpha() and len(word) <= LONGEST_WORD:
            spellings = [word, *(word[:cut] + word[cut + 1 :] for cut in range(len(word)))]
            keys += [
                " ".join([str(at), *words[:at], spelling, *words[at + 1 :]])
                for spelling in spellings
                if len(spelling) >= least - 1
            ]
    return keys


def _abbreviates(words: Sequence[str], others: Sequence[str]) -> bool:
    """Tell whether words that are not among the others are the initials of all that remain."""
    initials = (Counter(words) - Counter(others)).elements()
    whole = sorted((Counter(others) - Counter(words)).elements())
    is_full = all(len(word) > 1 for word in whole)
    return bool(whole) and is_full and sorted(initials) == [word[0] for word in whole]


_ALIKE = "the same but for capitals, accents, umlauts, signs or the order of words"
_SLIP = "one letter more, less or other"
_CONTAINED = "all its words are in the other"
_INITIALS = "initials of the other"


def _met(matches: "pd.DataFrame", names: set[str]) -> set[tuple[str, str]]:
    """Return the pairs of some names that have played each other.

    The others are left out, since all pairs of a long list would fill the memory.
    """
    among = matches[matches["player"].isin(names) & matches["opponent"].isin(names)]
    return set(zip(among["player"], among["opponent"], strict=True))


def known_name(player: str, names: Sequence[str]) -> str:
    """Return the name of a table that equals the given one apart from capitals, accents, blanks and
    signs.

    Raises SettingsError with the nearest names if there is none, or if there are several.
    """
    if player in names:
        return player
    like: dict[str, list[str]] = {}
    for name in names:
        like.setdefault(letters_of(name), []).append(name)
    letters = letters_of(_name(player))
    equal = sorted(like.get(letters, []))
    if len(equal) == 1:
        return equal[0]
    if equal:
        raise SettingsError(f"player {player}: which of them: {', '.join(equal)}?")
    similar = difflib.get_close_matches(letters, like, n=5)
    similar += [longer for longer in like if letters in longer]
    listed = ", ".join([name for key in dict.fromkeys(similar) for name in like[key]][:5])
    hint = f"; did you mean {listed}?" if listed else ""
    raise SettingsError(f"player {player}: no such player here{hint}")


def _spellings(name: str) -> list[str]:
    """Return spellings that equal names share.

    Müller is also Muller and Mueller, Smith, John is John Smith.
    """
    spellings = []
    for written in (name, name.casefold().translate(_UMLAUTS)):
        words = _words(written)
        spellings.append("".join(words) or written)
        if len(words) > 1 and min(map(len, words)) > 1:
            spellings.append(" ".join(sorted(words)))
    return spellings


def _words(name: str) -> list[str]:
    """Return the words of a name, without capitals, accents and signs."""
    small = without_marks(unescape(name).casefold()).casefold()
    return re.findall(r"[^\W_]+", small.translate(_PLAIN))


def letters_of(name: str) -> str:
    return "".join(_words(name)) or name


def _name(written: str) -> str:
    unmarked = without_mark(written)
    return escape_controls(composed(unescape(unmarked if cell(unmarked) == written else written)))
