"""A file is written whole or not at all; a provenance says whether code was committed."""

import json
import os
import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bgrating.job_log import reporting
from bgrating.tables.provenance import (
    ProvenanceError,
    atomic_path,
    code_version,
    has_provenance,
    one_provenance,
    provenance_path,
    verified,
    write_atomic,
    write_provenance,
)

LARGE = "line\n" * 10_000


@contextmanager
def full_disk() -> Iterator[None]:
    """Let no file grow beyond 100 bytes meanwhile."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def write_parquet(path: Path) -> None:
    with atomic_path(path) as part:
        pq.write_table(pa.table({"a": list(range(10_000))}), part)


@pytest.mark.parametrize("write", [lambda path: write_atomic(path, LARGE), write_parquet])
def test_a_full_disk_leaves_the_file_before_and_nothing_else(tmp_path: Path, write) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "table"
    path.write_text("before")
    with full_disk(), pytest.raises(OSError, match=rf"File too large.*{path.name}"):
        write(path)
    assert [file.name for file in tmp_path.iterdir()] == ["table"]
    assert path.read_text() == "before"
    write(path)
    assert len(path.read_bytes()) > 10_000


def test_a_full_disk_is_reported_in_one_sentence(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "rule.log"
    with pytest.raises(SystemExit), reporting(str(log)), full_disk():
        write_atomic(tmp_path / "table", LARGE)
    assert [file.name for file in tmp_path.iterdir()] == ["logs"]
    last = log.read_text().splitlines()[-1]
    assert last.startswith("error: [Errno 27] File too large")
    assert f"'{tmp_path / 'table'}'" in last
    assert "run again" in last


def commit_all(folder: Path) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    for command in (["init", "-q"], ["add", "-A"], [*who, "commit", "-q", "-m", "first"]):
        subprocess.run(["git", "-C", str(folder), *command], check=True)


def test_changed_code_makes_a_version_dirty_and_changed_results_do_not(tmp_path: Path) -> None:
    assert code_version(tmp_path) == "not a git checkout"
    for folder in ("scripts", "results"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "file").write_text("one\n")
    commit_all(tmp_path)
    code_version.cache_clear()
    commit = code_version(tmp_path)
    assert len(commit) == 12
    (tmp_path / "results" / "file").write_text("two\n")
    code_version.cache_clear()
    assert code_version(tmp_path) == commit
    (tmp_path / "scripts" / "file").write_text("two\n")
    code_version.cache_clear()
    assert code_version(tmp_path) == f"{commit}-dirty"


def test_a_look_at_the_code_takes_no_lock_that_the_user_may_need(tmp_path: Path) -> None:
    """git would write its index anew, and a commit at this moment would fail."""
    (tmp_path / "file").write_text("one\n")
    commit_all(tmp_path)
    index = tmp_path / ".git" / "index"
    before = index.read_bytes()
    os.utime(tmp_path / "file", (1000, 1000))
    code_version.cache_clear()
    code_version(tmp_path)
    assert index.read_bytes() == before


def test_tables_written_together_have_one_provenance(tmp_path: Path) -> None:
    first, second, elsewhere = tmp_path / "a.csv", tmp_path / "b.csv", tmp_path / "other" / "b.csv"
    elsewhere.parent.mkdir()
    elsewhere.write_text("elsewhere")
    write_provenance(elsewhere, rows=5)
    first.write_text("of an old run")
    write_provenance(first, seed=0)
    with one_provenance(tmp_path / "rule.provenance.json"):
        for table, rows in ((first, 3), (second, 4)):
            table.write_text(table.name)
            write_provenance(table, seed=1, kind=table.stem, rows=rows)
        assert verified(second)["rows"] == 4  # known before it is written
        assert verified(elsewhere)["rows"] == 5
    assert [path.name for path in sorted(tmp_path.glob("*.json"))] == ["rule.provenance.json"]
    content = json.loads((tmp_path / "rule.provenance.json").read_text())
    assert content["seed"] == 1
    assert set(content["written"]["a.csv"]) == {"kind", "rows", "sha256"}
    assert [verified(table)["kind"] for table in (first, second)] == ["a", "b"]
    second.write_text("another")
    with pytest.raises(ProvenanceError, match=r"b\.csv: its checksum is not"):
        verified(second)
    assert not has_provenance(tmp_path / "c.csv")


@pytest.mark.parametrize(
    "record", ["", "[]", "{}", '"sha256"', "\xff", "[" * 100_000, '{"sha256": 1}']
)
def test_a_damaged_provenance_is_named(tmp_path: Path, record: str) -> None:
    table = tmp_path / "a.csv"
    table.write_text("a")
    provenance_path(table).write_text(record, encoding="latin-1")
    with pytest.raises(ProvenanceError, match=r"a\.csv.* (is damaged|names no checksum)"):
        verified(table)


def test_a_run_that_fails_leaves_no_common_provenance(tmp_path: Path) -> None:
    table = tmp_path / "a.csv"
    table.write_text("a")

    def failing() -> None:
        with one_provenance(tmp_path / "rule.provenance.json"):
            write_provenance(table)
            write_provenance(tmp_path / "absent.csv")

    with pytest.raises(FileNotFoundError):
        failing()
    assert not list(tmp_path.glob("*.json"))
