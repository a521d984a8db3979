"""Every file of a collection is listed once, whatever it is, and none is read that should not be."""

import os
import zipfile
from pathlib import Path

import pytest

from bgrating.collection.listing import Found, Reader, UnreadableError, fingerprint, list_files, with_members
from bgrating.matchtext.sections import MAX_BYTES
from bgrating.settings import SettingsError
from bgrating.tables.csv_safety import cell, shown, without_mark


def names(found: list[Found]) -> list[str]:
    return [one.name for one in found]


def listed(folder: Path) -> dict[str, str]:
    return {one.name: one.problem for one in with_members(list_files(folder, folder / "results"))}


def test_folders_archives_and_odd_files(tmp_path: Path) -> None:
    (tmp_path / "a" / "x.mat").mkdir(parents=True)
    (tmp_path / "a" / "x.mat" / "inner.txt").write_text("1")
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    (tmp_path / "nowhere.mat").symlink_to(tmp_path / "gone")
    (tmp_path / "round.mat").symlink_to(tmp_path / "round.mat")
    os.mkfifo(tmp_path / "pipe.mat")
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "own.csv").write_text("1")
    with zipfile.ZipFile(tmp_path / "z.zip", "w") as packed:
        packed.writestr("../../evil.mat", "1")
        packed.writestr("d/in.zip", "1")
    (tmp_path / "bad.zip").write_text("no archive")
    zipfile.ZipFile(tmp_path / "empty.zip", "w").close()
    found = listed(tmp_path)
    problems = {name: problem for name, problem in found.items() if problem}
    assert set(found) - set(problems) == {"a/x.mat/inner.txt", "z.zip/../../evil.mat"}
    assert problems["a/x.mat"] == "a folder, not a file"
    assert problems["a/up"] == "a link to the folder ., read there"
    assert problems["nowhere.mat"].startswith("a symbolic link that leads nowhere")
    assert problems["round.mat"].startswith("a symbolic link that leads nowhere")
    assert problems["pipe.mat"] == "a named pipe, not a regular file"
    assert problems["z.zip/d/in.zip"] == "an archive within an archive is not opened"
    assert problems["bad.zip"].startswith("this archive cannot be opened")
    assert problems["empty.zip"] == "an empty archive"


def test_members_of_the_same_name_are_told_apart(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "z.zip", "w") as packed:
        packed.writestr("m.mat", "one")
        with pytest.warns(UserWarning, match="Duplicate name"):
            packed.writestr("m.mat", "two")
    found = list(with_members(list_files(tmp_path, tmp_path / "results")))
    assert names(found) == ["z.zip/m.mat", "z.zip/m.mat (entry 2)"]
    reader = Reader()
    assert [reader.read(one) for one in found] == [b"one", b"two"]
    reader.close()


def test_the_fingerprint_changes_with_the_collection(tmp_path: Path) -> None:
    results = tmp_path / "results"
    (tmp_path / "m.mat").write_text("one")
    first = fingerprint(tmp_path, results)
    results.mkdir()
    (results / "x.csv").write_text("1")
    assert fingerprint(tmp_path, results) == first
    os.utime(tmp_path / "m.mat", ns=(5, 5))
    second = fingerprint(tmp_path, results)
    assert second != first
    (tmp_path / "m.mat").rename(tmp_path / "n.mat")
    assert fingerprint(tmp_path, results) != second


def test_no_such_collection(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no such folder"):
        list_files(tmp_path / "gone", tmp_path)


def test_huge_files_are_not_read(tmp_path: Path) -> None:
    with (tmp_path / "huge.mat").open("wb") as file:
        file.truncate(1024**3)
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("m.mat", b" " * (MAX_BYTES + 1))
    for found in with_members(list_files(tmp_path, tmp_path / "results")):
        with pytest.raises(UnreadableError, match="too large for a match"):
            Reader().read(found)


def test_a_file_that_changes_is_not_taken_for_what_it_was(tmp_path: Path) -> None:
    path = tmp_path / "m.mat"
    path.write_text("one")
    found = list_files(tmp_path, tmp_path / "results")[0]
    path.write_text("one and more")
    with pytest.raises(UnreadableError, match="changed while it was read"):
        Reader().read(found)


def test_unreadable_files(tmp_path: Path) -> None:
    (tmp_path / "memory.mat").symlink_to("/proc/self/mem")
    (tmp_path / "gone.mat").write_text("1")
    gone, memory = list_files(tmp_path, tmp_path / "results")
    (tmp_path / "gone.mat").unlink()
    for one in (gone, memory):
        with pytest.raises(UnreadableError, match="cannot be read: "):
            Reader().read(one)


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("Zoë O'Brien", "Zoë O'Brien"),
        ("two\nlines", r"two\nlines"),
        (r"a\nb", r"a\\nb"),
        ("left\u202eright", r"left\u202eright"),
        ("\udcff.mat", r"\udcff.mat"),
    ],
)
def test_names_are_one_visible_line(text: str, safe: str) -> None:
    assert shown(text) == safe
    assert shown(text).encode()


@pytest.mark.parametrize("text", ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(1)", "'=1", "＝1"])
def test_no_cell_is_a_formula(text: str) -> None:
    assert cell(text) == f"'{text}"
    assert without_mark(cell(text)) == text
    assert without_mark(cell("ann")) == cell("ann") == "ann"
