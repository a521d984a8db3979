"""What becomes of changed files, one function for each kind of them.

Outcomes: `refused`, a status with a reason; `flagged`, read with a warning or in part; `same`, read
without any and equal to an unchanged file in all that it says (of two put together: to either);
`consistent`, read without any, all of it, and different, since nothing in the changed file
contradicts the change; `misread`, read without any, but not what the file says; `fallen`, an
exception that is none of ours. No file may be misread or fall.

What a file says is found by another way than the reader's: of a text every roll, cube word and win
in order; of an .xg file rolls, plays and results must be those of the unchanged one; of other
programs' files every roll and cube action; of an archive its members' matches; of a list each
line's names, points, date and length. A row is lost if it is in no match or game, and no finding
names it.
"""

import csv
import io
import random
import re
import string
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pandas as pd
from gvformat import bgf, read_gvab

import damaged_texts as damage
from bgleague.games import name_of
from bgleague.readers import read_games
from bgleague.settings import RatingsError
from bgmatch import read_matches, read_saved
from bgmatch.formats.program_file import SavedError
from bgmatch.formats.saved import read_file
from bgrating.collection.listing import ListedFile, Reader, list_paths, with_members
from bgrating.collection.match_record import FileRecord
from fuzz import evidence, records
from fuzz.changes import as_sheet, zipped
from fuzz.relations import of_examples, one_match, related
from fuzz.serving import served
from fuzz.serving import sources as sessions
from fuzz.settings import emptied, run_line
from fuzz.settings import lines as command_lines
from fuzz.state import attacked
from fuzz.state import sources as state_files
from records import read_found
from saved_files import bgf_of, gvab_of, ogxm_of, sgf_of
from text_tokens import difference, is_sound, lost_rows, tokens_of_matches, tokens_of_text

OUTCOMES = ("refused", "flagged", "same", "consistent", "misread", "fallen")

_LARGEST = 7_000
"""Largest text that is changed, in bytes: the reader's time goes with the size, what can go wrong
does not."""
_TEXTS = 300
_NAMES = ["Ann Lee", "Bob", "Zoë Müller", "Иван", "O'Brien", "名前", "Dr. X", "Ann"]
_FORMS = ["date player1 player2 score1 score2 length", "date winner loser"]
_FORMS += ["player1 player2 score date"]
_SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_TODAY = date(2026, 11, 22)


@dataclass(frozen=True)
class Outcome:
    """What became of a file, its first difference to a sound one, and how many rows were lost."""

    result: str
    differs: str = ""
    lost: int = 0


def of_text(data: bytes, sound: Sequence[bytes], _folder: Path) -> Outcome:
    if early := _early(data, ".mat"):
        return Outcome(early, lost=lost_rows(data))
    after = read_matches(data).matches
    result = "consistent" if tokens_of_text(data) == tokens_of_matches(after) else "misread"
    differences = [difference(read_matches(one).matches, after) for one in sound]
    return _beside(differences, result, lost_rows(data))


def of_repair(data: bytes, sound: Sequence[bytes], _folder: Path) -> Outcome:
    """Judge a damaged text: a correction that is not the truth is misread."""
    texts = (one.decode("utf-8", "replace").replace("\r\n", "\n") for one in (sound[0], data))
    found = damage.outcome(*texts)
    if found in {damage.SAVED, damage.REFUSED}:
        return Outcome("flagged" if found == damage.SAVED else "refused")
    differs = difference(read_matches(sound[0]).matches, read_matches(data).matches)
    return _beside([differs], "misread" if found == damage.WRONG else "consistent")


def of_xg(data: bytes, sound: Sequence[bytes], _folder: Path) -> Outcome:
    if early := _early(data, ".xg"):
        return Outcome(early)
    after, figures = read_saved(data, ".xg")
    found = []
    for match, sound_figures in (read_saved(one, ".xg") for one in sound):
        differ = "figures" if repr(figures) != repr(sound_figures) else ""
        found.append(difference([match], [after]) or differ)
    return _beside(found, "consistent" if found[0] in {"headers", "figures"} else "misread")


def of_saved(suffix: str, data: bytes, sound: Sequence[bytes], _folder: Path) -> Outcome:
    if early := _early(data, suffix):
        return Outcome(early)
    after = read_saved(data, suffix)[0]
    is_right = tokens_of_saved(data, suffix) == _sorted(tokens_of_matches([after]))
    differences = [difference(read_file(one, suffix).matches, [after]) for one in sound]
    return _beside(differences, "consistent" if is_right else "misread")


def tokens_of_saved(data: bytes, suffix: str) -> list[str]:
    """Return every roll and cube action of a file in order, read by other code than ours."""
    if suffix == ".sgf":
        found = re.findall(rb";(?:[WB]|PL\[[WB]\]DI)\[(\d\d|double|take|drop)", data)
        return _sorted(word.decode() for word in found)
    document = bgf.convert_bgf(data) if suffix == ".bgf" else read_gvab(data)
    names = {21: "double", 22: "take", 23: "drop"}
    plies = [ply for game in document["games"] for ply in game["plies"] if ply["action_id"] < 24]
    return _sorted(names.get(ply["action_id"], f"{ply.get('d1')}{ply.get('d2')}") for ply in plies)


def _sorted(tokens: Iterable[str]) -> list[str]:
    """Return rolls with the higher die first, and the letters of cube actions."""
    kept = [one for one in tokens if one != "wins"]
    return ["".join(sorted(one, reverse=True)) if one[0].isdigit() else one[0] for one in kept]


def of_zip(data: bytes, sound: Sequence[bytes], folder: Path) -> Outcome:
    records, before = _records(data, folder), [_records(one, folder) for one in sound]
    flags = [_flagged(record) for record in records]
    if "fallen" in flags or (not all(flags) and {"refused", "flagged"} & set(flags)):
        return Outcome("fallen" if "fallen" in flags else "flagged")
    if all(flags):
        return Outcome("refused")
    found = []
    for one in before:
        same = _contents(one) == _contents(records)
        names = [record.file for record in one] == [record.file for record in records]
        found.append("rolls" if not same else "" if names else "headers")
    return _beside(found, "misread" if found[0] == "rolls" else "consistent")


def of_club(
    data: bytes, sound: Sequence[bytes], folder: Path, *, is_sheet: bool = False
) -> Outcome:
    path = folder / ("club.xlsx" if is_sheet else "club.csv")
    path.write_bytes(data)
    try:
        reading = read_games([path], _TODAY)
    except RatingsError:
        return Outcome("refused")
    known = {*reading.games["row"], *reading.self_play["row"], *reading.flagged["row"]}
    if is_sheet:
        said, head = lines_of_sheet(data), min(known, default=1) - 1 if reading.notes else 1
        known |= {number for number in said if number <= head}
    else:
        said = lines_of_list(data)
        known |= {*_skipped(data, reading.notes)}
    lost = len(set(said) - known)
    games = reading.games.to_dict("records")
    if any(_contradicts(row, said.get(row["row"], {}), reading) for row in games):
        return Outcome("misread", "results", lost)
    if len(reading.flagged) or reading.notes:
        return Outcome("flagged", lost=lost)
    found = []
    for one in sound:
        path.write_bytes(one)
        found.append(_differing(read_games([path], _TODAY).games, reading.games))
    return _beside(found, "consistent", lost)


def _contradicts(row: dict[Any, Any], told: dict[str, Any], reading: Any) -> bool:
    """Tell whether a game that was read without a flag is another than its line gives."""
    if row["row"] in set(reading.flagged["row"]):
        return False
    if any("differ in capitals alone" in note for note in reading.notes):  # of one player
        row, told = _without_capitals(row), _without_capitals(told)
    return any(row.get(key, told[key]) != told[key] for key in told)


def _without_capitals(row: dict[Any, Any]) -> dict[Any, Any]:
    return {key: str(value).casefold() for key, value in row.items()}


def _skipped(data: bytes, notes: Iterable[str]) -> list[int]:
    """Return the numbers of the lines that a note tells of: the column names and all above."""
    lines = re.split(r"\r\n|\r|\n", data.decode("utf-8-sig", "replace"))
    numbers = [number for number, line in enumerate(lines, 1) if line.strip()]
    told = re.search(r"^(\d+) rows? above the names", "\n".join(notes), re.MULTILINE)
    return numbers[: int(told[1]) + 1] if told else []


def of_done(
    do: Callable[[bytes, Path], tuple[str, str]], data: bytes, sound: Sequence[bytes], folder: Path
) -> Outcome:
    """Judge what becomes of a command line or of a session with `serve`."""
    result, problem = do(data, folder)
    if result == "accepted":
        return Outcome("same") if data in sound else Outcome("consistent", "headers")
    return Outcome(result, problem)


def lines_of_sheet(data: bytes) -> dict[int, dict[str, Any]]:
    """Return what each row of a spreadsheet gives, as `lines_of_list` does, from its XML."""
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        has_texts = _TEXTS_OF_SHEET in packed.namelist()
        shared = packed.read(_TEXTS_OF_SHEET) if has_texts else b"<sst/>"
        sheet = ElementTree.fromstring(packed.read("xl/worksheets/sheet1.xml"))
    texts = ["".join(one.itertext()) for one in ElementTree.fromstring(shared)]
    found, head = {}, list[str]()
    for row in sheet.iter(f"{_SHEET}row"):
        cells = {}
        for cell in row.iter(f"{_SHEET}c"):
            written = "".join(cell.itertext())
            # Without a place it is the next one.
            column = re.sub(r"\d", "", cell.get("r", "")) or _COLUMNS[len(cells)]
            cells[column] = texts[int(written)] if cell.get("t") == "s" else written
        fields = [cells.get(column, "") for column in _COLUMNS[: len(head) or len(_COLUMNS)]]
        number = int(row.get("r", "0"))
        if not head:
            head = fields[: len(cells)]
        elif any(field.strip() for field in fields):
            found[number] = _fields_said(head, fields)
    return found if {"winner", "loser"} <= set(head) or {"player1", "player2"} <= set(head) else {}


_COLUMNS = string.ascii_uppercase
_TEXTS_OF_SHEET = "xl/sharedStrings.xml"
WRITERS = {"sgf": sgf_of, "bgf": bgf_of, "ogxm": ogxm_of, "gvab": gvab_of}
Judge = Callable[[bytes, Sequence[bytes], Path], Outcome]
JUDGES: dict[str, Judge] = {
    "text": of_text,
    "xg": of_xg,
    "zip": of_zip,
    "club": of_club,
    "evidence": lambda data, _, folder: Outcome(*evidence.evidence_outcome(data, folder)),
    "xlsx": partial(of_club, is_sheet=True),
    **{name: partial(of_saved, f".{name}") for name in ("sgf", "bgf", "ogxm", "gvab")},
    "settings": partial(of_done, run_line),
    "state": lambda data, *_: Outcome(*attacked(data)),
    "relations": lambda data, sound, _: Outcome(*related(data, sound[0])),
    "serve": partial(of_done, served),
    "repair": of_repair,
    "formula": lambda *attack: Outcome(*records.formula_outcome(*attack)),
    "manifest": lambda *attack: Outcome(*records.manifest_outcome(*attack)),
}


_MADE = {
    "evidence": evidence.lists,
    "settings": command_lines,
    "state": state_files,
    "serve": sessions,
    "formula": records.formulas,
    "manifest": records.manifests,
}


def outcome(kind: str, data: bytes, sound: Sequence[bytes], folder: Path) -> Outcome:
    """Return what became of a file that was made of sound ones; `folder` is emptied again."""
    try:
        return JUDGES[kind](data, sound, folder)
    except Exception as problem:
        return Outcome("fallen", f"{type(problem).__name__}: {problem}"[:200])
    finally:
        emptied(folder)


def sources(kind: str, folder: Path, seed: int) -> dict[str, bytes]:
    """Return the sound files of a kind, by name: of a folder, archives of those, made lists."""
    rng = random.Random(f"{kind} {seed}")
    if kind == "club":
        return {f"club-{number}": club_list(rng) for number in range(100)}
    if kind == "xlsx":
        return {f"xlsx-{number}": as_sheet(club_list(rng)) for number in range(30)}
    if kind in _MADE:
        return _MADE[kind]()
    suffixes, sound = ({".xg"}, is_sound_xg) if kind == "xg" else ({".mat", ".txt"}, is_sound)
    paths = [path for path in sorted(folder.rglob("*")) if path.suffix.lower() in suffixes]
    paths = [path for path in paths if kind == "xg" or path.stat().st_size <= _LARGEST]
    rng.shuffle(paths)
    found: dict[str, bytes] = {}
    for path in paths:
        if len(found) < _TEXTS and sound(data := path.read_bytes()):
            found[str(path.relative_to(folder))] = data
    if kind in {"relations", "repair"}:
        made = of_examples() if kind == "relations" else {}
        return made | {name: data for name, data in found.items() if one_match(data)}
    if kind in WRITERS:
        few = {name: read_matches(found[name]).matches[0] for name in sorted(found)[:20]}
        found = {name: WRITERS[kind](match) for name, match in few.items() if not match.unlimited}
    if kind == "zip" and found:
        archives = {}
        for number in range(30):
            names = enumerate(rng.sample(sorted(found), 3))
            members = [(f"{place}-{Path(name).name}", found[name]) for place, name in names]
            archives[f"zip-{number}"] = zipped(members, rng.choice([0, 8]))
        return archives
    return found


def _flagged(record: FileRecord) -> str:
    if record.problem:
        return "fallen" if record.problem.startswith("the reader failed") else "refused"
    odd = any(match.problem or match.warnings or match.incomplete for match in record.matches)
    return "flagged" if odd else ""


def _early(data: bytes, suffix: str) -> str:
    """Return what becomes of a file whose reader refuses or flags it; else nothing."""
    return _flagged(read_found(ListedFile(f"attack{suffix}", "", None, ()), lambda _: data)[0])


def _beside(found: Sequence[str], otherwise: str, lost: int = 0) -> Outcome:
    return Outcome("same", "", lost) if "" in found else Outcome(otherwise, found[0], lost)


def is_sound_xg(data: bytes) -> bool:
    try:
        return not read_file(data, ".xg").matches[0].findings
    except SavedError:
        return False


def _records(data: bytes, folder: Path) -> list[FileRecord]:
    (folder / "a.zip").write_bytes(data)
    with closing(Reader()) as reader:
        found = with_members(list_paths([folder], folder / "results"))
        return [read_found(one, reader.read)[0] for one in found]


def _contents(records: Iterable[FileRecord]) -> Counter[str]:
    return Counter(match.content_key for record in records for match in record.matches)


def club_list(rng: random.Random) -> bytes:
    mark, form = rng.choice(",;\t"), rng.choice(_FORMS)
    lines = [mark.join(form.split())]
    for day in range(rng.randint(3, 25)):
        one, two = rng.sample(_NAMES, 2)
        length, lower = rng.choice([3, 5, 7, 11]), rng.randrange(3)
        points = [str(length), str(lower)][:: rng.choice([1, -1])]
        told = {"date": f"2026-0{1 + day // 28}-{1 + day % 28:02d}", "length": str(length)}
        told |= {"player1": one, "player2": two, "winner": one, "loser": two}
        told |= {"score1": points[0], "score2": points[1], "score": "-".join(points)}
        lines.append(mark.join(told[name] for name in form.split()))
    return ("\n".join(lines) + "\n").encode()


def lines_of_list(data: bytes) -> dict[int, dict[str, Any]]:
    """Return what each line of a list says, by its number: what is plain to see of names, result,
    date and length.

    Empty where the first line is not the head of a made list any more, or the text none in UTF-8.
    """
    try:
        lines = re.split(r"\r\n|\r|\n", data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return {}
    mark = max("\t,;", key=lines[0].count)
    head = lines[0].split(mark)
    if not {"winner", "loser"} <= set(head) and not {"player1", "player2"} <= set(head):
        return {}
    found: dict[int, dict[str, Any]] = {}
    for number, line in enumerate(lines[1:], 2):
        if not line.replace(mark, "").strip() or is_within_quotes(lines[:number], mark):
            continue
        found[number] = {}
        try:
            fields = next(csv.reader([line], delimiter=mark, strict=True))
        except csv.Error:
            continue
        if len(fields) == len(head):
            found[number] = _fields_said(head, fields)
    return found


def is_within_quotes(lines: Sequence[str], mark: str) -> bool:
    """Tell whether the last line goes on with a quoted cell of the line before it (RFC 4180)."""
    before, last = lines[-2:]
    is_quoted = re.search(rf'(^|{re.escape(mark)})"[^"]*$', before) is not None
    return is_quoted and before.count('"') % 2 == last.count('"') % 2 == 1


def _fields_said(head: Sequence[str], fields: Sequence[str]) -> dict[str, Any]:
    """Return what is plain to see of a row: names, and where plain: result, date and length."""
    row = dict(zip(head, fields, strict=True))
    one, two = ("winner", "loser") if "winner" in row else ("player1", "player2")
    found: dict[str, Any] = {"first": name_of(row[one]), "second": name_of(row[two])}
    points = re.findall(r"\d+", row.get("score", ""))
    if {"score1", "score2"} <= set(row):
        points = [row["score1"], row["score2"]]
    are_plain = all(point.strip().isdecimal() and len(point) < 10 for point in points)
    if "winner" in row:
        found["first_score"] = 1.0
    elif len(points) == 2 and are_plain:
        found["first_score"] = float(int(points[0]) > int(points[1]))
    if re.fullmatch(r"\d{4}-\d\d-\d\d", row.get("date", ""), re.ASCII):
        found["date"] = row["date"]
    if re.fullmatch(r"[1-9]\d?", row.get("length", ""), re.ASCII):
        found["length"] = float(row["length"])
    return found


def _differing(before: Any, after: Any) -> str:
    """Return the first of DIFFERENCES in which two tables of games differ."""
    if len(before) != len(after):
        return "games"
    kinds = {"first_score": "results"} | dict.fromkeys(("first", "second", "date"), "headers")
    for column, what in (kinds | {"length": "length"}).items():
        one, other = (table.get(column, pd.Series()) for table in (before, after))
        if not one.equals(other):
            return what
    return ""
