"""Changed formula files and lists of checksums for `calc`, `rate` and `verify --quick`."""

import atexit
import json
import os
import random
import shutil
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import t as student

from bgrating import BgratingError
from bgrating.rating.formula import read_formula
from bgrating.rating.formula_reader import NoFormulaError
from bgrating.rating.result_files import COMMITTED
from bgrating.tables.provenance import write_provenance
from commands import run
from study.manifest import MANIFEST, chain
from text_changes import BYTES, digit, line_lost, line_twice, lines_exchanged, named

_NUMBERS = (0, -1, 1e-300, 1e308, True, "7", None, [], {}, 0.5, 1001)
_FILES = ("a.csv", "b/c.csv", "b/d.json", "e.csv", "f.csv")


def formulas() -> dict[str, bytes]:
    """Return the formula files of the repository that hold a formula."""
    paths = sorted(COMMITTED.glob("**/formula.json"))
    found = {str(path.relative_to(COMMITTED)): path.read_bytes() for path in paths}
    return {name: data for name, data in found.items() if b'"formula": null' not in data}


def manifests() -> dict[str, bytes]:
    """Return the list of checksums of a small folder of results."""
    folder = _results()
    return {MANIFEST: (folder / MANIFEST).read_bytes()}


@cache
def _results() -> Path:
    """Make a small folder of results, beside those that attacks copy."""
    place = os.environ.get("XDG_CACHE_HOME")
    folder = Path(tempfile.mkdtemp(prefix="bgrating-records-", dir=place))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name in _FILES:
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"of {name}\n")
        write_provenance(path, rows=1)
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    (folder / MANIFEST).write_text(run(["sha256sum", "--", *names], cwd=folder).stdout)
    return folder


def _value(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Give an entry, or a number within it, another value."""
    content = json.loads(data)
    name = rng.choice(sorted(content))
    held: Any = content
    while isinstance(held[name], dict | list) and held[name] and rng.random() < 0.8:
        held = held[name]
        name = rng.choice(sorted(held)) if isinstance(held, dict) else rng.randrange(len(held))
    held[name] = rng.choice(_NUMBERS)
    return json.dumps(content).encode()


def _gone(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    content = json.loads(data)
    del content[rng.choice(sorted(content))]
    return json.dumps(content).encode()


def _entry_of_another(data: bytes, other: bytes, rng: random.Random) -> bytes:
    """Take an entry of another engine's or study's formula."""
    content, theirs = json.loads(data), json.loads(other)
    name = rng.choice(sorted({*content} & {*theirs}))
    return json.dumps(content | {name: theirs[name]}).encode()


def _twice(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Give an entry twice, the second time with another value."""
    name = rng.choice(sorted(json.loads(data)))
    return data.rstrip()[:-1] + b"," + json.dumps({name: rng.choice(_NUMBERS)}).encode()[1:]


def _scaled(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Scale estimates, covariance, interval or ranges, or turn a pair round."""
    content = json.loads(data)
    name = rng.choice(["estimate", "interval", "ranges"])
    entry = content[name]
    key = rng.choice(sorted(entry))
    factor = rng.choice([0.5, 0.99, 1.01, 2.0, -1.0])
    entry[key] = entry[key][::-1] if isinstance(entry[key], list) else factor * entry[key]
    if rng.random() < 0.5:
        content["covariance"] = (factor * np.array(content["covariance"])).tolist()
    return json.dumps(content).encode()


FORMULA_CHANGES = named(digit, *BYTES, line_lost, line_twice)
FORMULA_CHANGES |= {"value": _value, "gone": _gone, "another's": _entry_of_another}
FORMULA_CHANGES |= {"twice": _twice, "scaled": _scaled}


def formula_outcome(data: bytes, sound: Sequence[bytes], folder: Path) -> tuple[str, str]:
    """Return an outcome, and what is wrong by numpy and scipy, or what was changed: `figures`."""
    path = folder / "formula.json"
    path.write_bytes(data)
    try:
        read_formula(path)
    except NoFormulaError:
        has_none = json.loads(data).get("formula", "") is None
        return ("refused", "") if has_none else ("misread", "it has a formula")
    except BgratingError as problem:
        return ("fallen", str(problem)) if "\n" in str(problem) else ("refused", "")
    except BaseException as problem:
        return "fallen", f"{type(problem).__name__}: {problem}"[:200]
    content = json.loads(data)
    if content == json.loads(sound[0]):
        return "same", ""
    problem = _contradiction(content)
    return ("misread", problem) if problem else ("consistent", "figures")


def _contradiction(content: dict[str, Any]) -> str:
    terms, estimate = content["terms"], content["estimate"]
    if any(low > high for low, high in content.get("ranges", {}).values()):
        return "ranges"
    if content["covariance"] is None:
        return ""
    covariance = np.array(content["covariance"], dtype=float)
    is_square = covariance.shape == (len(terms),) * 2
    if not is_square or _is_no_covariance(covariance):
        return "covariance"
    if not content.get("interval"):
        return ""
    width = student.ppf((1 + content["confidence"]) / 2, content["dof"])
    for term, variance in zip(terms, np.diag(covariance), strict=True):
        half = width * max(variance, 0.0) ** 0.5
        ends = [estimate[term] - half, estimate[term] + half]
        if not np.allclose(content["interval"][term], ends, rtol=1e-6, atol=1e-4 * half):
            return f"interval of {term}"
    return ""


def _is_no_covariance(matrix: np.ndarray) -> bool:
    return bool(np.linalg.eigvalsh(matrix).min() < -1e-7 * np.abs(matrix).max())


def _edited(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Name a file whose lines go, and which is edited."""
    name = rng.choice(_FILES).encode()
    return b"".join(line for line in data.splitlines(keepends=True) if name not in line)


def _emptied(_data: bytes, _other: bytes, rng: random.Random) -> bytes:
    return rng.choice([b"", b"\n", b" ", b"\0" * 64])


def _moved(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Give a line the name of a file elsewhere, or of another line."""
    lines = data.splitlines(keepends=True)
    digest, name = rng.choice(lines).split(b"  ")
    names = [b"../e.csv\n", b"/etc/passwd\n", b"./" + name, b"b/../" + name]
    names.append(rng.choice(lines).split(b"  ")[1])
    return data + digest + b"  " + rng.choice(names)


MANIFEST_CHANGES = named(digit, *BYTES, line_lost, line_twice, lines_exchanged)
MANIFEST_CHANGES |= {"edited": _edited, "emptied": _emptied, "moved": _moved}


def manifest_outcome(data: bytes, sound: Sequence[bytes], folder: Path) -> tuple[str, str]:
    """Return `refused`, `same`, `misread` or `fallen`, and what is wrong."""
    results = folder / "results"
    shutil.copytree(_results(), results)
    (results / MANIFEST).write_bytes(data)
    try:
        chain(results)
    except BgratingError as problem:
        return ("fallen", str(problem)) if "\n" in str(problem) else ("refused", "")
    except BaseException as problem:
        return "fallen", f"{type(problem).__name__}: {problem}"[:200]
    is_same = {*data.splitlines()} == {*sound[0].splitlines()}
    return ("same", "") if is_same else ("misread", "another list passes")
