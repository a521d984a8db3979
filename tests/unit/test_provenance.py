"""A file is written whole or not at all; a provenance says whether the code was that of a commit."""

import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bgrating.entry import reporting
from bgrating.provenance import code_version, replace, whole

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
    with whole(path) as part:
        pq.write_table(pa.table({"a": list(range(10_000))}), part)


@pytest.mark.parametrize("write", [lambda path: replace(path, LARGE), write_parquet])
def test_a_full_disk_leaves_the_file_before_and_nothing_else(tmp_path: Path, write) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "table"
    path.write_text("before")
    with full_disk(), pytest.raises(OSError, match=rf"File too large.*{path.name}"):
        write(path)
    assert [file.name for file in tmp_path.iterdir()] == ["table"]
    assert path.read_text() == "before"
    write(path)
    assert len(path.read_bytes()) > 10_000


def test_a_full_disk_is_one_sentence(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "rule.log"
    with pytest.raises(SystemExit), reporting(str(log)), full_disk():
        replace(tmp_path / "table", LARGE)
    assert [file.name for file in tmp_path.iterdir()] == ["logs"]
    last = log.read_text().splitlines()[-1]
    assert last.startswith("error: [Errno 27] File too large")
    assert last.endswith(f"'{tmp_path / 'table'}': mend that, then run again; what is whole is kept")


def test_an_error_of_ours_is_not_taken_for_the_users(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), reporting(str(tmp_path / "rule.log")):
        replace(tmp_path / "nowhere" / "table", LARGE)


def test_changed_code_makes_a_version_dirty_and_changed_results_do_not(tmp_path: Path) -> None:
    assert code_version(tmp_path) == "not a git checkout"
    for folder in ("scripts", "results"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "file").write_text("one\n")
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    for command in (["init", "-q"], ["add", "-A"], [*who, "commit", "-q", "-m", "first"]):
        subprocess.run(["git", "-C", str(tmp_path), *command], check=True)
    code_version.cache_clear()
    commit = code_version(tmp_path)
    assert len(commit) == 12
    (tmp_path / "results" / "file").write_text("two\n")
    code_version.cache_clear()
    assert code_version(tmp_path) == commit
    (tmp_path / "scripts" / "file").write_text("two\n")
    code_version.cache_clear()
    assert code_version(tmp_path) == f"{commit}-dirty"
