"""Command lines with hostile settings: what a command makes of them, and whether it writes anywhere
but where it may.

A command line is JSON: `words`, in which @NAME stands for a file or folder, and `names`, how those
are called.
"""

import contextlib
import io
import json
import os
import random
import re
import shutil
import unicodedata
from pathlib import Path

from bgmatch.records import Json
from bgrating.command import main
from corpus import texts
from short_match import match
from text_changes import Change, named

_LINES = texts("hostile.lines")
_NAMES = {name: name for name in ("matches", "match", "list", "aliases", "out")}
_LIST = "date,player1,player2,score1,score2,length\n2026-01-01,Ann,Bob,7,3,7\n2026-01-02,Bob,Ann,5,1,5\n"
_TEXTS = {"list": _LIST, "aliases": "alias,name\nann,Ann Lee\n"}
CACHES = {"__pycache__", ".git", ".mypy_cache", ".ruff_cache"}
"""Folders that Python, git and tools keep for themselves."""
_SLOW = re.compile(r"decide|--level=?$|[1-9]-ply")


def lines() -> dict[str, bytes]:
    """Return sound command lines by name."""
    found = [_packed({"words": line.split(), "names": _NAMES}) for line in _LINES]
    return {f"line-{number}": line for number, line in enumerate(found)}


def changes(hostile: list[str]) -> dict[str, Change]:
    """Return what is done to command lines, with hostile texts to choose from."""
    words = [*hostile, *texts("hostile.words")]

    def value(data: bytes, _other: bytes, rng: random.Random) -> bytes:
        line = json.loads(data)
        places = [n for n, word in enumerate(line["words"]) if n and not word.startswith("--")]
        line["words"][rng.choice(places)] = rng.choice(words)
        return _packed(line)

    def joined(data: bytes, _other: bytes, rng: random.Random) -> bytes:
        line = json.loads(data)
        options = [word for word in line["words"] if word.startswith("--") and word != "--no-luck"]
        place = line["words"].index(rng.choice(options))
        line["words"][place : place + 2] = [f"{line['words'][place]}={rng.choice(words)}"]
        return _packed(line)

    def called(data: bytes, _other: bytes, rng: random.Random) -> bytes:
        """Give a file or folder a hostile name, or what stands for one in a file's name."""
        line = json.loads(data)
        line["names"][rng.choice(sorted(_NAMES))] = rng.choice(words)
        return _packed(line)

    def word(data: bytes, other: bytes, rng: random.Random) -> bytes:
        """Leave a word out, double it, exchange two, or take one of another command."""
        line = json.loads(data)
        words, place = line["words"], rng.randrange(len(line["words"]))
        pair, others = words[place : place + 2], json.loads(other)["words"]
        words[place : place + 1] = rng.choice([[], pair[:1] * 2, pair[::-1], [rng.choice(others)]])
        return _packed(line)

    return named(value, joined, called, word)


def _packed(line: Json) -> bytes:
    return json.dumps(line).encode()


def run_line(data: bytes, folder: Path) -> tuple[str, str]:
    """Run a command line in a folder; return an outcome, and what is wrong."""
    line = json.loads(data)
    here = folder / "a" / "b" / "c"
    here.mkdir(parents=True)
    names = {f"@{name}": called for name, called in line["names"].items()}
    words = [names.get(word, word) for word in line["words"]]
    if any(_SLOW.search(word) for word in words):
        return "refused", ""  # an analysis that takes minutes is no attack
    if not all(_put(here, name, called) for name, called in line["names"].items() if name != "out"):
        return "refused", ""  # this system has no such names
    before = state(folder)
    status, said, problem = run_words(words, here)
    if problem:
        return "fallen", problem
    asked = _value(words, "--results").replace("\0", "")
    out = (here / (asked or "bgrating-results")).resolve()
    changed = {path for path, *_ in state(folder) ^ before}
    outside = {path for path in changed if not Path(path).is_relative_to(out)}
    categories = {one: unicodedata.category(one) for one in said if one != "\n"}
    unseen = {one for one, category in categories.items() if category in {"Cc", "Cf", "Cs"}}
    if outside or unseen:
        return "misread", f"wrote {sorted(outside)[:1]}, printed {unseen}"
    if status:
        told = said.strip().splitlines()
        well = status == 1 and bool(told) and told[-1].startswith("bgrating: ")
        return ("refused", "") if well else ("fallen", f"status {status}: {said[-100:]}")
    return _kept(words, out)


def _kept(words: list[str], out: Path) -> tuple[str, str]:
    """Compare what was asked for with what an accepted command has written."""
    if not words or words[0] != "rate" or {"--help", "-h"} & set(words):
        return "accepted", ""
    asked = _value(words, "--name")
    folders = [path.parent for path in out.glob("human/*/rate.provenance.json")]
    if len(folders) != 1 or (asked and folders[0].name != asked):
        return "misread", f"results are in {folders}"
    facts = json.loads((folders[0] / "rate.provenance.json").read_text())
    offset, formula = _value(words, "--offset"), _value(words, "--formula")
    is_offset = not offset or facts["offset"] == float(offset)
    if not is_offset or (formula and facts["coefficients"] != formula):
        return "misread", "a setting was not taken"
    if facts["analysis"] != ("0-ply-no-luck" if "--no-luck" in words else "0-ply"):
        return "misread", "the level is another"
    return "accepted", ""


def _put(here: Path, name: str, called: str) -> bool:
    """Make a file or folder of a name; tell whether the system could."""
    try:
        path = here / called
        if not path.resolve().is_relative_to(here) or path.resolve() == here:
            return False
        if name == "matches":
            path.mkdir(parents=True)
            (path / "one.mat").write_text(match())
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(match() if name == "match" else _TEXTS[name])
    except (OSError, ValueError):
        return False
    return True


def run_words(words: list[str], here: Path) -> tuple[int, str, str]:
    """Run a command in this process; return status, output, and an exception of no kind of ours."""
    said, before = io.StringIO(), Path.cwd()
    os.chdir(here)
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            main(words)
    except SystemExit as end:
        return int(end.code or 0), said.getvalue(), ""
    except BaseException as problem:
        return 0, said.getvalue(), f"{type(problem).__name__}: {problem}"[:200]
    finally:
        os.chdir(before)
    return 0, said.getvalue(), ""


def _value(words: list[str], flag: str) -> str:
    """Return the last value of a flag, as the command takes it; empty where there is none."""
    found = ""
    for place, word in enumerate(words):
        if word == flag and place + 1 < len(words):
            found = words[place + 1]
        elif word.startswith(f"{flag}="):
            found = word.removeprefix(f"{flag}=")
    return found


def state(*folders: Path) -> set[tuple[str, int, int]]:
    """Return every file of folders with size and time, but those of Python and git."""
    found = set()
    for folder in folders:
        for place, inner, names in os.walk(folder):
            inner[:] = {*inner} - CACHES
            paths = [os.path.join(place, name) for name in names]  # noqa: PTH118 - as os.walk gives it
            for path in paths:
                about = os.lstat(path)
                found.add((path, about.st_size, about.st_mtime_ns))
    return found


def emptied(folder: Path) -> None:
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
