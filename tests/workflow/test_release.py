"""A release is the last commit, built and tried in an environment of its own."""

import hashlib
import sys
from pathlib import Path

import pytest

from commands import Done, run


def release(project: Path, *words: object) -> Done:
    return run([sys.executable, project / ".ci" / "release.py", *words])


@pytest.mark.nightly
def test_a_release_was_installed_and_rated(project: Path, tmp_path: Path) -> None:
    made = tmp_path / "release"
    done = release(project, made, sys.executable)
    assert done.returncode == 0, done.stderr
    about, tried, end = (made / "TRIED.txt").read_text().split("\n")
    assert about.startswith("commit ")
    assert "rate: 12 files: 12 analysed" in tried
    assert not end
    sums = dict(line.split("  ")[::-1] for line in (made / "SHA256SUMS").read_text().splitlines())
    assert {Path(name).suffix for name in sums} == {".whl", ".gz", ".lock", ".txt"}
    assert all(
        hashlib.sha256((made / name).read_bytes()).hexdigest() == known
        for name, known in sums.items()
    )
    assert (made / "requirements.lock").read_bytes() == (project / "requirements.lock").read_bytes()


def test_a_release_without_a_folder_says_what_it_takes(project: Path) -> None:
    for words, status in ((["--help"], 0), ([], 2)):
        done = release(project, *words)
        assert done.returncode == status
        assert (done.stdout + done.stderr).startswith("usage: ./run release [-h] FOLDER")


@pytest.mark.slow
def test_what_cannot_be_a_release_is_one_sentence(project: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    taken = release(project, tmp_path / "mine")
    assert (taken.returncode, taken.stderr.count("\n")) == (1, 1)
    assert "is there already" in taken.stderr
    absent = release(project, tmp_path / "new", "no-python")
    assert absent.returncode == 1
    assert "failed" in absent.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
