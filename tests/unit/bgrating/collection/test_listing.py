"""Every file of a collection is listed once; none is read that should not be."""

import io
import os
import re
import shutil
import struct
import time
import tracemalloc
import warnings
import zipfile
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from bgmatch.sections import MAX_BYTES
from bgrating.collection import listing
from bgrating.collection.listing import (
    ListedFile,
    Reader,
    UnreadableError,
    list_paths,
    with_members,
)
from bgrating.tables.regular import regular
from corpus import DATA, cases, values


def listed(folder: Path) -> list[ListedFile]:
    return list(with_members(list_paths([folder], folder / "results")))


def only(folder: Path) -> ListedFile:
    (found,) = listed(folder)
    return found


def require_refused(found: ListedFile, words: str = "") -> None:
    with pytest.raises(UnreadableError, match=words or None):
        Reader().read(found)


def entries(**names: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        for name, content in names.items():
            # Without a time of day, whose bytes may be a name's.
            packed.writestr(zipfile.ZipInfo(name), content)
    return out.getvalue()


def test_folders_archives_and_odd_files(tmp_path: Path) -> None:
    (tmp_path / "a" / "x.mat").mkdir(parents=True)
    (tmp_path / "a" / "x.mat" / "inner.txt").write_text("1")
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    (tmp_path / "nowhere.mat").symlink_to(tmp_path / "gone")
    (tmp_path / "round.mat").symlink_to(tmp_path / "round.mat")
    os.mkfifo(tmp_path / "pipe.mat")
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "own.csv").write_text("1")
    (tmp_path / "z.zip").write_bytes(entries(**{"../../evil.mat": b"1", "d/in.zip": b"1"}))
    (tmp_path / "bad.zip").write_text("no archive")
    zipfile.ZipFile(tmp_path / "empty.zip", "w").close()
    problems = {found.name: found.problem.partition(":")[0] for found in listed(tmp_path)}
    assert problems == values("archives")["listed"]


def test_a_member_of_the_largest_size_is_read_whole(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "large.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("m.mat", b" " * MAX_BYTES)
    assert len(Reader().read(only(tmp_path))) == MAX_BYTES


def test_folders_of_one_name_are_numbered(tmp_path: Path) -> None:
    folders = [tmp_path / place / "club" for place in "abc"]
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / "1.mat").write_text("1")
    names = [found.name for found in list_paths(folders, tmp_path / "results")]
    assert names == ["2-club/1.mat", "3-club/1.mat", "club/1.mat"]


def test_a_deep_folder_takes_a_few_calls_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A path of each folder's own made the time grow with the square of the depth."""
    depth, calls, lstat = 200, [0], os.lstat
    bottom = tmp_path / "/".join("d" * depth)
    bottom.mkdir(parents=True)
    (bottom / "game.mat").write_text("1")

    def counted(*given: Any, **options: Any) -> os.stat_result:
        calls[0] += 1
        return lstat(*given, **options)

    monkeypatch.setattr(os, "lstat", counted)
    found = only(tmp_path)
    assert found.name == "/".join("d" * depth) + "/game.mat"
    assert calls[0] < 4 * depth


def test_the_litter_of_other_systems_is_not_listed(tmp_path: Path, shared: Path) -> None:
    shutil.copy(shared / "cases" / "mac.zip", tmp_path)
    (tmp_path / "__MACOSX" / "club").mkdir(parents=True)
    litter = ("__MACOSX/club/b.mat", ".DS_Store", "Thumbs.db", "desktop.ini", "._c.mat")
    for name in (*litter, "d.mat"):
        (tmp_path / name).write_text("1")
    assert [found.name for found in listed(tmp_path)] == ["d.mat", "mac.zip/club/a.mat"]
    (tmp_path / "only.zip").write_bytes(entries(**{"__MACOSX/._a.mat": b"1", ".DS_Store": b"1"}))
    assert [found.problem for found in listed(tmp_path)][-1] == "an empty archive"


def test_tables_beside_the_archives_of_matches_are_not_listed(tmp_path: Path) -> None:
    """As in `shards/` of a tournament; a table without provenance is somebody else's."""
    tables = ("000.zip.provenance.json", "000.csv", "000.csv.provenance.json")
    for name in (*tables, "001.csv", "0001.mat"):
        (tmp_path / name).write_text("1")
    assert {found.name for found in listed(tmp_path)} == {"001.csv", "0001.mat"}


def test_members_of_the_same_name_are_told_apart(tmp_path: Path) -> None:
    names = ["m.mat", "m.mat", "x (entry 5).xg", "x.xg", "x.xg", "a\nb.xg", r"a\nb.xg"]
    with zipfile.ZipFile(tmp_path / "z.zip", "w") as packed, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, name in enumerate(names):
            packed.writestr(name, f"{number}")
    found = listed(tmp_path)
    names = [one.name for one in found]
    assert names[:2] == ["z.zip/m.mat", "z.zip/m (entry 2).mat"]
    assert len(set(names)) == 7
    assert all(name.endswith(".xg") for name in names[2:])  # by which the reader goes
    reader = Reader()
    assert [reader.read(one) for one in found[:2]] == [b"0", b"1"]
    reader.close()


@pytest.mark.parametrize(("archive", "name"), cases("archives.odd_names"))
def test_a_member_with_an_odd_name_is_read(tmp_path: Path, archive: str, name: str) -> None:
    shutil.copy(DATA / "archives" / f"{archive}.zip", tmp_path / "z.zip")
    found = only(tmp_path)
    assert (found.name, Reader().read(found)) == (f"z.zip/{name}", b"1")


def test_huge_files_are_not_read(tmp_path: Path) -> None:
    with (tmp_path / "huge.mat").open("wb") as file:
        file.truncate(1024**3)
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("m.mat", b" " * (MAX_BYTES + 1))
    for found in listed(tmp_path):
        require_refused(found, "too large for a match")


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [("m.mat", b"one", b"one and more"), ("a.zip", entries(m=b"one"), entries(m=b"two and more"))],
)
def test_a_file_that_changes_is_not_taken_for_what_it_was(
    tmp_path: Path, name: str, before: bytes, after: bytes
) -> None:
    (tmp_path / name).write_bytes(before)
    found = only(tmp_path)
    (tmp_path / name).write_bytes(after)
    require_refused(found, "changed while it was read")


def test_a_file_that_is_gone_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "gone.mat").write_text("1")
    found = only(tmp_path)
    (tmp_path / "gone.mat").unlink()
    require_refused(found, "cannot be read: ")


DEVICES = ("/proc/kmsg", "/dev/tty", "/dev/zero", "/dev/ptmx", "/proc/self/pagemap")


@pytest.mark.parametrize(
    ("device", "words"),
    [("/proc/self/mem", "cannot be read: "), *((device, "") for device in DEVICES)],
)
def test_a_link_to_a_device_is_not_read(tmp_path: Path, device: str, words: str) -> None:
    (tmp_path / "device.mat").symlink_to(device)
    require_refused(only(tmp_path), words)


def test_a_file_that_has_nothing_to_give_yet_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As files of /proc do: regular by their kind, and a read without waiting gives None."""
    (tmp_path / "a.mat").write_text("1")
    found = only(tmp_path)

    def silent(*names: Any, **how: Any) -> Any:
        file = regular(*names, **how)
        quiet = mock.Mock(read=lambda _: None, fileno=file.fileno)
        return mock.MagicMock(__enter__=lambda _: quiet, __exit__=lambda *_: file.close())

    monkeypatch.setattr(listing, "regular", silent)
    require_refused(found, "it gives no bytes")


@pytest.mark.parametrize(("name", "words"), cases("archives.refused"))
def test_a_broken_archive_is_refused_and_the_file_beside_it_is_read(
    tmp_path: Path, name: str, words: str
) -> None:
    shutil.copy(DATA / "archives" / f"{name}.zip", tmp_path / "broken.zip")
    (tmp_path / "sound.mat").write_text("1")
    broken, sound = listed(tmp_path)
    require_refused(broken, words)
    assert Reader().read(sound) == b"1"


@pytest.mark.parametrize("how", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_bomb_is_not_expanded(tmp_path: Path, how: int) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", how) as packed:
        packed.writestr("m.mat", bytes(6 * MAX_BYTES))
    bomb, size = (tmp_path / "bomb.zip").read_bytes(), struct.pack("<L", 6 * MAX_BYTES)
    assert bomb.count(size) == 2
    small = bomb.replace(size, struct.pack("<L", 1000))  # it says that it is small
    (tmp_path / "bomb.zip").write_bytes(small)
    found = only(tmp_path)
    tracemalloc.start()
    require_refused(found)
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert used < 4 * MAX_BYTES


def directory(members: int, told: int) -> bytes:
    """Return an archive whose directory has so many members, and gives another number."""
    one = struct.pack("<4s4B20xH16x", b"PK\1\2", 20, 3, 20, 0, 1) + b"m"
    listed = one * members
    record = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, told, told, len(listed), 0)
    where = struct.pack("<4sLQL", b"PK\6\7", 0, len(listed), 1)
    end = struct.pack("<4s4x2H2L2x", b"PK\5\6", 65535, 65535, 2**32 - 1, 2**32 - 1)
    return listed + record + where + end


@pytest.mark.parametrize("told", [3_000_000, 1])
def test_an_archive_of_too_many_members_is_refused_before_its_directory_is_read(
    tmp_path: Path, told: int
) -> None:
    (tmp_path / "many.zip").write_bytes(directory(3_000_000, told))
    before = time.process_time()
    found = only(tmp_path)
    problems = r"3,000,000 files, more than 200,000|a directory of 141,000,000 bytes"
    assert re.search(problems, found.problem)
    assert time.process_time() - before < 1
