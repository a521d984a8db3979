"""Every file of a collection is listed once, whatever it is, and none is read that should not be."""

import io
import os
import re
import struct
import time
import tracemalloc
import warnings
import zipfile
import zlib
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from bgrating.files.listing import ListedFile, Reader, UnreadableError, list_paths, with_members
from bgrating.matchtext.sections import MAX_BYTES


def names(found: list[ListedFile]) -> list[str]:
    return [one.name for one in found]


def listed(folder: Path) -> dict[str, str]:
    return {one.name: one.problem for one in with_members(list_paths([folder], folder / "results"))}


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
    assert problems["pipe.mat"] == "not a regular file"
    assert problems["z.zip/d/in.zip"] == "an archive within an archive is not opened"
    assert problems["bad.zip"].startswith("this archive cannot be opened")
    assert problems["empty.zip"] == "an empty archive"


def test_tables_beside_the_archives_of_matches_are_not_listed(tmp_path: Path) -> None:
    """As in `shards/` of a tournament; a table without provenance is somebody else's."""
    for name in ("000.zip.provenance.json", "000.csv", "000.csv.provenance.json", "001.csv", "0001.mat"):
        (tmp_path / name).write_text("1")
    assert set(listed(tmp_path)) == {"001.csv", "0001.mat"}


def test_members_of_the_same_name_are_told_apart(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "z.zip", "w") as packed:
        packed.writestr("m.mat", "one")
        with pytest.warns(UserWarning, match="Duplicate name"):
            packed.writestr("m.mat", "two")
    found = list(with_members(list_paths([tmp_path], tmp_path / "results")))
    assert names(found) == ["z.zip/m.mat", "z.zip/m (entry 2).mat"]
    reader = Reader()
    assert [reader.read(one) for one in found] == [b"one", b"two"]
    reader.close()


def test_huge_files_are_not_read(tmp_path: Path) -> None:
    with (tmp_path / "huge.mat").open("wb") as file:
        file.truncate(1024**3)
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("m.mat", b" " * (MAX_BYTES + 1))
    for found in with_members(list_paths([tmp_path], tmp_path / "results")):
        with pytest.raises(UnreadableError, match="too large for a match"):
            Reader().read(found)


def test_a_file_that_changes_is_not_taken_for_what_it_was(tmp_path: Path) -> None:
    path = tmp_path / "m.mat"
    path.write_text("one")
    found = list_paths([tmp_path], tmp_path / "results")[0]
    path.write_text("one and more")
    with pytest.raises(UnreadableError, match="changed while it was read"):
        Reader().read(found)


def test_unreadable_files(tmp_path: Path) -> None:
    (tmp_path / "memory.mat").symlink_to("/proc/self/mem")
    (tmp_path / "gone.mat").write_text("1")
    gone, memory = list_paths([tmp_path], tmp_path / "results")
    (tmp_path / "gone.mat").unlink()
    for one in (gone, memory):
        with pytest.raises(UnreadableError, match="cannot be read: "):
            Reader().read(one)


def entries(**names: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        for name, content in names.items():
            packed.writestr(zipfile.ZipInfo(name), content)  # no time of day, whose bytes may be a name's
    return out.getvalue()


def method(content: bytes, how: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        packed.writestr(zipfile.ZipInfo("m.mat"), content, how)
    return out.getvalue()


def far_offset(data: bytes) -> bytes:
    place = data.index(b"PK\1\2")
    head = bytearray(data[place : place + 46 + 5])
    extra = struct.pack("<HHQ", 1, 8, 2**64 - 100)
    head[30:32] = struct.pack("<H", len(extra))
    head[42:46] = b"\xff" * 4
    directory = bytes(head) + extra
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, len(directory), place, 0)
    return data[:place] + directory + end


BROKEN = {
    "nameless": entries(**{"x": b"1"}).replace(b"x", b"\0"),
    "local-utf-8": entries(**{"xx": b"1"}).replace(b"xx", b"\xff\xfe", 1).replace(b"\x14\0\0\0", b"\x14\0\0\x08", 1),
    "utf-8": entries(**{"xx": b"1"}).replace(b"xx", b"\xff\xfe").replace(b"\x14\0\0\0", b"\x14\0\0\x08"),
    "far": far_offset(entries(**{"m.mat": b"1"})),
    "encrypted": entries(**{"m.mat": b"1"}).replace(b"\x14\0\0\0", b"\x14\0\1\0"),
    "method-99": entries(**{"m.mat": b"1"}).replace(b"\x14\0\0\0\0\0", b"\x14\0\0\0\x63\0"),
    "checksum": method(b"1" * 99, zipfile.ZIP_DEFLATED).replace(struct.pack("<L", zlib.crc32(b"1" * 99)), b"1234"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_archive_is_its_own_problem(tmp_path: Path, name: str) -> None:
    (tmp_path / f"{name}.zip").write_bytes(BROKEN[name])
    (tmp_path / "sound.mat").write_text("1")
    told = {}
    reader = Reader()
    for found in with_members(list_paths([tmp_path], tmp_path / "results")):
        try:
            told[found.name] = reader.read(found).decode()
        except UnreadableError as problem:
            told[found.name] = f"! {problem}"
    reader.close()
    assert told.pop("sound.mat") == "1"
    ((only, problem),) = told.items()
    if name == "nameless":
        assert (only, problem) == ("nameless.zip/(entry 1)", "1")
    else:
        assert re.match(r"! (cannot be unpacked|this archive cannot be opened): \S", problem), problem


@pytest.mark.parametrize("how", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_member_packed_by_a_rare_method_is_refused_with_the_remedy(tmp_path: Path, how: int) -> None:
    (tmp_path / "a.zip").write_bytes(method(b"1", how))
    (found,) = with_members(list_paths([tmp_path], tmp_path / "results"))
    with pytest.raises(UnreadableError, match="pack the archive by deflate"):
        Reader().read(found)


@pytest.mark.parametrize("how", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_bomb_is_not_expanded(tmp_path: Path, how: int) -> None:
    bomb = bytearray(method(bytes(6 * MAX_BYTES), how))
    size = struct.pack("<L", 6 * MAX_BYTES)
    for place in (bomb.index(size), bomb.rindex(size)):  # it says that it is small
        bomb[place : place + 4] = struct.pack("<L", 1000)
    (tmp_path / "bomb.zip").write_bytes(bomb)
    (found,) = with_members(list_paths([tmp_path], tmp_path / "results"))
    tracemalloc.start()
    with pytest.raises(UnreadableError):
        Reader().read(found)
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert used < 4 * MAX_BYTES


def directory(members: int, told: int) -> bytes:
    """Return an archive whose directory has so many members, and gives another number."""
    one = struct.pack("<4s4B4HL2L5H2L", b"PK\1\2", 20, 3, 20, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0) + b"m"
    listed = one * members
    record = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, told, told, len(listed), 0)
    where = struct.pack("<4sLQL", b"PK\6\7", 0, len(listed), 1)
    return listed + record + where + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 65535, 65535, 2**32 - 1, 2**32 - 1, 0)


@pytest.mark.parametrize("told", [3_000_000, 1])
def test_an_archive_of_too_many_members_is_refused_before_its_directory_is_read(tmp_path: Path, told: int) -> None:
    (tmp_path / "many.zip").write_bytes(directory(3_000_000, told))
    before = time.process_time()
    (found,) = with_members(list_paths([tmp_path], tmp_path / "results"))
    assert re.search(r"3,000,000 files, more than 200,000|a directory of 141,000,000 bytes", found.problem)
    assert time.process_time() - before < 1


def test_members_that_share_their_bytes_are_not_unpacked_again_and_again(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "again.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("m.mat", bytes(99_999))
        packed.filelist += packed.filelist * 99
    (found,) = with_members(list_paths([tmp_path], tmp_path / "results"))
    assert found.problem == "this archive cannot be opened: its members overlap"


def test_a_member_that_is_named_like_a_folder_and_holds_bytes_is_read(tmp_path: Path) -> None:
    (tmp_path / "z.zip").write_bytes(entries(**{"a/": b"", "b!": b"1"}).replace(b"b!", b"b/"))
    (found,) = with_members(list_paths([tmp_path], tmp_path / "results"))
    assert found.name == "z.zip/b/"
    assert Reader().read(found) == b"1"


def test_no_two_members_have_one_name(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "z.zip", "w") as packed, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in ("x (entry 3).xg", "x.xg", "x.xg", "a\nb.xg", r"a\nb.xg"):
            packed.writestr(name, "1")
    found = names(list(with_members(list_paths([tmp_path], tmp_path / "results"))))
    assert len(set(found)) == 5
    assert all(name.endswith(".xg") for name in found)  # by which the reader goes


def test_an_archive_that_changes_is_not_taken_for_what_it_was(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(entries(**{"m.mat": b"one"}))
    (found,) = with_members(list_paths([tmp_path], tmp_path / "results"))
    (tmp_path / "a.zip").write_bytes(entries(**{"m.mat": b"two and more"}))
    with pytest.raises(UnreadableError, match="changed while it was read"):
        Reader().read(found)


@pytest.mark.parametrize("device", ["/proc/kmsg", "/dev/tty", "/dev/zero", "/dev/ptmx", "/proc/self/pagemap"])
def test_a_link_to_a_device(tmp_path: Path, device: str) -> None:
    (tmp_path / "device.mat").symlink_to(device)
    (found,) = list_paths([tmp_path], tmp_path / "results")
    with pytest.raises(UnreadableError):
        Reader().read(found)


def test_a_file_that_has_nothing_to_give_yet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As files of /proc do: regular by their kind, and a read without waiting gives None."""
    (tmp_path / "a.mat").write_text("1")
    (found,) = list_paths([tmp_path], tmp_path / "results")
    opened = os.fdopen

    def silent(handle: int, mode: str) -> Any:
        file = opened(handle, mode)
        return mock.MagicMock(__enter__=lambda _: mock.Mock(read=lambda _: None), __exit__=lambda *_: file.close())

    monkeypatch.setattr(os, "fdopen", silent)
    with pytest.raises(UnreadableError, match="it gives no bytes"):
        Reader().read(found)


def test_an_archive_whose_directory_lost_an_entry_is_not_read_in_part(tmp_path: Path) -> None:
    data = bytearray(entries(**{"a.mat": b"1", "b.mat": b"2"}))
    first = data.index(b"PK\1\2")
    size = data.rindex(b"PK\1\2") - first
    data[first + 32 : first + 34] = struct.pack("<H", size)  # the first entry's comment swallows the second
    (tmp_path / "z.zip").write_bytes(data)
    (found,) = with_members(list_paths([tmp_path], tmp_path / "results"))
    assert found.problem == "this archive cannot be opened: its directory gives 2 files and lists 1"
