"""Tables at the edges of their rules: marks, letters that are none, records, a full disk."""

import errno
import json
import sqlite3
from pathlib import Path

import pandas as pd
import pytest

from bgrating.tables.csv_safety import escape_controls, quoted
from bgrating.tables.folder import name_of, recorded
from bgrating.tables.provenance import digest_of, text_of
from bgrating.tables.sqlite import write_sqlite
from corpus import cases


@pytest.mark.parametrize("mark", list(',;|\t"\r\n'))
def test_a_text_with_a_separator_is_quoted(mark: str) -> None:
    assert quoted(f"a{mark}b") == '"a{}b"'.format(mark.replace('"', '""'))


def test_a_text_without_a_separator_stays() -> None:
    assert quoted("Ann Lee") == "Ann Lee"


@pytest.mark.parametrize(("code", "written"), cases("values.letters"))
def test_letters_that_nobody_sees_are_escaped(code: int, written: str) -> None:
    assert escape_controls(chr(code)) == written


@pytest.mark.parametrize(
    ("path", "name"), [("a/Club 2026!.zip", "Club-2026"), ("…", "matches"), ("x/-.mat", "matches")]
)
def test_a_name_of_results_comes_from_the_path(path: str, name: str) -> None:
    assert name_of(Path(path), "matches") == name


def test_a_record_counts_only_as_it_was_written(tmp_path: Path) -> None:
    facts = {"seed": 1, "written": {"x.csv": {"sha256": "0" * 64}}}
    whole = {**facts, "sha256": digest_of(facts)}
    path = tmp_path / "provenance.json"
    for text, expected in (
        (text_of(whole), facts),
        (json.dumps(whole), {}),
        (text_of(whole | {"seed": 2}), {}),
        (text_of(whole | {"written": {"x.csv": {"sha256": ""}}}), {}),
    ):
        path.write_text(text)
        assert recorded(path) == expected


@pytest.mark.parametrize(
    ("code", "expected"), [(sqlite3.SQLITE_FULL, errno.ENOSPC), (sqlite3.SQLITE_BUSY, None)]
)
def test_a_full_disk_is_named_and_other_errors_are_not_taken_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, expected: int | None
) -> None:
    problem = sqlite3.OperationalError("cannot write")
    problem.sqlite_errorcode = code

    def fails(*_: object, **__: object) -> None:
        raise problem

    monkeypatch.setattr(pd.DataFrame, "to_sql", fails)
    with pytest.raises((OSError, sqlite3.OperationalError)) as raised:
        write_sqlite({"rows": pd.DataFrame({"x": [1]})}, {"rows": ()}, tmp_path / "x.sqlite")
    assert getattr(raised.value, "errno", None) == expected
    assert not (tmp_path / "x.sqlite").exists()
