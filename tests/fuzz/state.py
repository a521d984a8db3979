"""Results and a store that were changed between two runs: what the next run makes of them.

An attack is JSON: `file`, from the folder of results, or `store`; `how` it was changed; `seed`;
`other`, whether the next run has other settings. Whatever it is, nothing outside is changed,
nothing that somebody put there is lost, and a run that ends well prints and leaves what an
undisturbed one does.
"""

import atexit
import contextlib
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import stat
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from unittest import mock

import short_match
from bgrating.tables.provenance import digest_of, sha256, text_of
from fuzz.settings import run_words
from text_changes import Change

FOLDERS = {"rate": "human/games", "ratings": "ratings/list"}
SECONDS = 1500
"""A run that takes longer waits for something that never comes, on however busy a machine."""
_RECORDS = {"human/games/rate.provenance.json", "ratings/list/ratings.provenance.json"}
_STAYS = {"alias_suggestions.csv", "index.html"}
"""What stays where it was changed, and is told of: a table that its reader edits, the first page of
a site."""
_COLUMNS = ("key", "used", "value", "checksum")
"""Of the one table of a store."""
_VALUES = ("NULL", "'text'", "-7", "x''", "x'ff00'", "substr({0}, 2)", "{0} || {0}", "zeroblob(9)")
_EDITS = ("number", "letter", "cut", "line", "emptied", "theirs")
_TOLD = re.compile(
    "stays as it is|was changed since|was moved to|not as they were written|nothing of this run is"
    " kept|"
    "^Checking |^Checked |^Changed since the first answer:|^Level: 0-ply "  # what the store has lost
)


@cache
def _template() -> tuple[Path, dict[tuple[str, bool], tuple[str, dict[str, bytes]]]]:
    """Return a folder, beside one named `place`, in which both commands have run.

    Also what each of them prints and leaves, by whether its settings are the others.
    """
    held = Path(tempfile.mkdtemp(prefix="bgrating-state-", dir=os.environ.get("XDG_CACHE_HOME")))
    atexit.register(shutil.rmtree, held, ignore_errors=True)
    place, left = held / "place", {}
    for folder in ("games", "theirs"):
        (place / folder).mkdir(parents=True)
    for number, dice in enumerate(("41", "43", "21")):
        text = short_match.match("Ann" if number else "ann", "bob", dice)
        (place / "games" / f"{number}.mat").write_text(text.partition("\n Game 2")[0])
    games = "Ann,Bob,7,3\nBob,ann,5,1\nAnn,Cid,7,5\nCid,Bob,7,2\n"
    (place / "list.csv").write_text(f"player1,player2,score1,score2\n{games}")
    (place / "theirs" / "two.csv").write_text("mine\n")
    for command, folder in FOLDERS.items():
        for other in (False, True, False):  # the first one fills the store
            said, problem = _run(place, command, other=other)[1:]
            if problem:
                raise RuntimeError(problem)
            left[command, other] = said, _contents(place / "out" / folder)
    return place.rename(held / "template"), left


def _run(folder: Path, command: str, *, other: bool) -> tuple[int, str, str]:
    """Run a command in a folder; return status, output, and an error of no kind of ours."""

    def late(*_: object) -> None:
        raise TimeoutError(f"not ended after {SECONDS} s")

    words = ["rate", "games", "--no-luck", "--cores", "1", "--player", "bob"]
    words += ["--offset", "1900"] if other else []
    if command == "ratings":
        words = ["ratings", "list.csv", "--method", "elo" if other else "elo,logistic"]
    handler = signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    try:
        with mock.patch.dict(os.environ, BGRATING_STORE=str(folder / "store")):
            return run_words([*words, "--results", "out"], folder)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, handler)


def _files(folder: Path) -> Iterator[Path]:
    for place, _, names in os.walk(folder):
        paths = [Path(place, name) for name in names]
        yield from (path for path in paths if stat.S_ISREG(os.lstat(path).st_mode))


def _contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in _files(folder)}


def sources() -> dict[str, bytes]:
    """Return attacks that change nothing yet: on the store, on each file and folder of results."""
    folder, _ = _template()
    out = folder / "out"
    inside = [path for place in FOLDERS.values() for path in sorted((out / place).rglob("*"))]
    names = ["store", *(str(path.relative_to(out)) for path in [out / "index.html", *inside])]
    return {name: json.dumps({"file": name}).encode() for name in names}


def _way(how: str) -> Change:
    def changed(data: bytes, _other: bytes, rng: random.Random) -> bytes:
        settings = {"how": how, "seed": rng.getrandbits(32), "other": rng.random() < 0.5}
        if how in {"rows", "tables", "forged"}:
            settings["file"] = "store" if how != "forged" else rng.choice(sorted(_RECORDS))
        return json.dumps(json.loads(data) | settings).encode()

    return changed


_WAYS = (*_EDITS, "gone", "link", "dangling", "pipe", "folder", "exchanged", "rows", "tables")
CHANGES = {how: _way(how) for how in (*_WAYS, "forged")}


def _change(path: Path, theirs: Path, how: str, rng: random.Random) -> None:
    """Change a file or a folder in one way, where it can be changed so."""
    data = path.read_bytes() if path.is_file() else b""
    figures = [place for place, byte in enumerate(data) if 48 <= byte <= 57]
    if how in _EDITS and data:
        at = rng.choice(figures or [0]) if how == "number" else rng.randrange(len(data))
        new = (data[at] - 47) % 10 + 48 if how == "number" else data[at] ^ rng.randint(1, 255)
        made = {"cut": data[:at], "line": data + b"mine\n", "emptied": b"", "theirs": b"mine\n"}
        path.write_bytes(made.get(how, data[:at] + bytes([new]) + data[at + 1 :]))
    elif how == "gone":
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    elif how in {"link", "dangling", "pipe", "folder"}:
        aside = path.rename(theirs / path.name)
        if how == "pipe":
            os.mkfifo(path)
        elif how == "folder":
            path.mkdir()
        else:
            path.symlink_to(aside if how == "link" else theirs / "nothing")
    elif how == "exchanged" and data:
        alike = [one for one in sorted(_files(path.parent)) if one.suffix == path.suffix]
        others = [one.read_bytes() for one in alike if one.read_bytes() != data]
        path.write_bytes(rng.choice(others or [data]))
    elif how in {"rows", "tables"} and data.startswith(b"SQLite"):
        column = rng.choice(_COLUMNS)
        change = f"UPDATE entries SET {column} = {rng.choice(_VALUES).format(column)}"
        refused = contextlib.suppress(sqlite3.IntegrityError)
        with contextlib.closing(sqlite3.connect(path)) as base, refused:
            base.execute(change if how == "rows" else "DROP TABLE entries")
            base.commit()
    elif how == "forged" and b'"written"' in data:
        victim = rng.choice([theirs / "two.csv", path.with_name("mine.csv")])
        victim.write_text("mine\n")
        name = rng.choice([str(victim), os.path.relpath(victim, path.parent)])
        facts = json.loads(data)
        facts.pop("sha256", "")
        facts["written"][name] = {"rows": 1, "sha256": sha256(victim)}
        path.write_text(text_of(facts | {"sha256": digest_of(facts)}))
        path.with_name("pages.json").write_text(json.dumps({"files": [name]}))


def attacked(data: bytes) -> tuple[str, str]:
    """Make an attack; return an outcome, and what is wrong."""
    attack = json.loads(data)
    template, left = _template()
    place = template.with_name("place")
    command = "ratings" if attack["file"].startswith("ratings") else "rate"
    try:
        shutil.copytree(template, place, symlinks=True)
        path = place / ("" if attack["file"] == "store" else "out") / attack["file"]
        _change(path, place / "theirs", attack.get("how", ""), random.Random(attack.get("seed")))
        shutil.copytree(place / "out", place / "backup", symlinks=True, copy_function=os.link)
        kind, put, before = _kind(path), path.is_file() and path.read_bytes(), _elsewhere(place)
        status, said, problem = _run(place, command, other=attack["other"])
        usual = left[command, attack["other"]][0].splitlines()
        notes = [line for line in said.splitlines() if line not in usual]
        is_one_sentence = len(notes) == 1 and notes[0].startswith("bgrating: ")
        if problem or status not in {0, 1} or (status and not is_one_sentence):
            return "fallen", problem or said[-200:]
        if before != _elsewhere(place) or (kind not in {0, stat.S_IFREG} and kind != _kind(path)):
            return "misread", "a file of somebody was changed"
        was_edited = attack["how"] in _EDITS and attack["file"] != "store" and put is not False
        if was_edited and put not in _contents(place / "out").values():
            return "misread", "what somebody wrote is lost"
        if status:
            return "refused", ""
        folder = place / "out" / FOLDERS[command]
        if problem := _wrong(attack["file"], folder, said, left[command, attack["other"]]):
            return "misread", problem
    finally:
        shutil.rmtree(place)
    return "flagged" if notes else "same", ""


def _wrong(name: str, folder: Path, said: str, left: tuple[str, dict[str, bytes]]) -> str:
    """Return what is wrong of what a run printed and left in its folder, where it ended well."""
    found, usual = _contents(folder), left[0].splitlines()
    stays = [one for one in _STAYS if name.endswith(one)]
    differ = [one for one, held in left[1].items() if found.get(one) != held and one not in stays]
    others = [line for line in said.splitlines() if line not in usual and not _TOLD.search(line)]
    missing = [line for line in usual if line not in said.splitlines()]
    stages = [one for one in found if one.startswith(".new-")]
    wrong = [differ, others, missing, stages]
    return ", ".join(map(str, wrong)) if any(wrong) else ""


def _kind(path: Path) -> int:
    return stat.S_IFMT(os.lstat(path).st_mode) if os.path.lexists(path) else 0


def _elsewhere(place: Path) -> dict[str, bytes]:
    ours = ("out/", "store", "theirs/store")
    files = _contents(place)
    kept = [name for name in files if name.endswith("mine.csv") or not name.startswith(ours)]
    return {name: files[name] for name in kept}
