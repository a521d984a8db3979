"""A folder of results: its name, whether it is ours, and who writes in it."""

import errno
import fcntl
import itertools
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pytest

from bgrating.settings_files import SettingsError
from bgrating.tables import folder, table_files
from bgrating.tables.folder import check_folder, check_name, locked, marked, page_name, writing
from bgrating.tables.provenance import one_provenance
from bgrating.tables.regular import regular
from bgrating.tables.table_files import read_settled, write_text


@pytest.mark.parametrize(
    "name", ["", "../x", "a/b", "/etc", ".hidden", "a b", "x\\y", "ü", "{a}", "a\n"]
)
def test_a_name_that_may_lead_elsewhere_is_refused(name: str) -> None:
    with pytest.raises(SettingsError, match="a name of results has letters"):
        check_name(name)


RECORD = "ours.provenance.json"


def test_files_of_others_are_left_alone(tmp_path: Path) -> None:
    check_folder(tmp_path / "new" / "deep", RECORD)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / ".lock").touch()  # as a run has it before its first table
    check_folder(tmp_path, RECORD)
    (tmp_path / "a.csv").touch()
    sentence = r"holds a a\.csv that this program did not make; it is left as it is"
    with pytest.raises(SettingsError, match=sentence):
        check_folder(tmp_path, RECORD)
    records = ["{}", '{"written": {}}', '{"written": {}, "sha256": "0"}', "mine", "\xff"]
    for theirs in (*records, "[" * 100_000):
        (tmp_path / RECORD).write_text(theirs, encoding="latin-1")
        changed = r"of an older version, or one that was changed since; it is left"
        with pytest.raises(SettingsError, match=changed):
            check_folder(tmp_path, RECORD)
    (tmp_path / RECORD).unlink()
    (tmp_path / "a.csv").unlink()
    put(tmp_path, a="1")
    check_folder(tmp_path, RECORD)


def put(
    folder: Path, *, former: tuple[str, ...] = (), given: Path | None = None, **texts: str
) -> list[str]:
    told: list[str] = []
    edited = ("edited.csv", given)
    with writing(folder, told.append, RECORD, edited, former) as new, one_provenance(new / RECORD):
        for name, text in texts.items():
            write_text(text, new / f"{name}.csv")
        (new / "pages").mkdir()
        page = f"pages/{next(iter(texts))}.html"
        (new / page).write_bytes(marked(f"<p>{texts}", page))
    return told


def contents(folder: Path) -> dict[str, str]:
    files = (
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in {".lock", RECORD}
    )
    return {str(path.relative_to(folder)): path.read_text() for path in files}


def test_files_are_replaced_by_new_ones_and_others_stay(tmp_path: Path) -> None:
    """Line 6: files were written in place, so a backup of hard links changed too."""
    folder = tmp_path / "results"
    assert put(folder, a="1", edited="2") == []
    (folder / "notes.txt").write_text("mine")
    shutil.copytree(folder, tmp_path / "backup", copy_function=os.link)
    before = contents(tmp_path / "backup")
    assert put(folder, a="3", edited="4") == []
    assert contents(tmp_path / "backup") == before
    assert (folder / "a.csv").read_text() == "3"
    assert sorted(contents(folder)) == ["a.csv", "edited.csv", "notes.txt", "pages/a.html"]


def test_a_changed_file_is_kept_under_another_name(tmp_path: Path) -> None:
    put(tmp_path, a="1", edited="2")
    page = (tmp_path / "pages" / "a.html").read_text()
    for n, (text, html) in enumerate([("", ""), ("mine", f"{page}mine"), ("1 mine", page[:90])], 1):
        (tmp_path / "a.csv").write_text(text)
        (tmp_path / "pages" / "a.html").write_text(html)
        assert put(tmp_path, a="1", edited="2") == [
            f"{path} was changed since it was written: it is {path.name}.changed-{n} now"
            for path in (tmp_path / "a.csv", tmp_path / "pages" / "a.html")
        ]
        found = contents(tmp_path)
        assert (found["a.csv"], found[f"a.csv.changed-{n}"]) == ("1", text)
        assert (found["pages/a.html"], found[f"pages/a.html.changed-{n}"]) == (page, html)


@pytest.mark.parametrize("given", [True, False])
def test_a_table_that_its_reader_edits_or_gives_back_stays(tmp_path: Path, given: bool) -> None:
    put(tmp_path, a="1", edited="2")
    table = tmp_path / "edited.csv"
    if not given:
        table.write_text("mine")
    before = table.read_text()
    told = put(tmp_path, a="1", edited="3", given=table if given else None)
    assert told == [f"{table} stays as it is: it was edited or given as --aliases"]
    assert table.read_text() == before


def test_former_files_go_if_nobody_changed_them(tmp_path: Path) -> None:
    put(tmp_path, old="1", other="2", a="3")
    (tmp_path / "other.csv").write_text("mine")
    (tmp_path / "pages" / "copy.html").write_bytes((tmp_path / "pages" / "old.html").read_bytes())
    former = ("old.csv", "other.csv", "pages/old.html", "pages/copy.html", "none.csv")
    assert put(tmp_path, a="3", former=former) == []
    assert sorted(contents(tmp_path)) == ["a.csv", "other.csv", "pages/a.html", "pages/copy.html"]


IN_THE_WAY: dict[str, Callable[[Path, Path], object]] = {
    "file": lambda path, _: path.write_text("mine"),
    "pipe": lambda path, _: os.mkfifo(path),
    "folder": lambda path, _: (path / "inner").mkdir(parents=True),
    "link": lambda path, elsewhere: path.symlink_to(elsewhere),
    "dangling": lambda path, elsewhere: path.symlink_to(elsewhere / "nothing"),
}
"""What somebody may put in the place of a file or folder of ours."""
ALLOWED = {("pages", "folder"), (".lock", "file"), ("a.csv", "file")}
"""What may be there, or is kept under another name."""
PLACES = ("a.csv", "pages/b.html", "pages", RECORD, ".lock")


@pytest.mark.parametrize(
    ("name", "kind"), sorted({*itertools.product(PLACES, IN_THE_WAY)} - ALLOWED)
)
def test_a_file_of_somebody_in_the_way_is_left_and_nothing_is_written(
    tmp_path: Path, name: str, kind: str
) -> None:
    """Once somebody's `matches/b.html` was replaced, links were followed, pipes waited on."""
    folder, elsewhere = tmp_path / "results", tmp_path / "elsewhere"
    put(folder, a="1")
    elsewhere.mkdir()
    place = folder / name
    shutil.rmtree(place) if place.is_dir() else place.unlink(missing_ok=True)
    IN_THE_WAY[kind](place, elsewhere)
    before, found = contents(tmp_path), [path.lstat().st_mode for path in sorted(folder.rglob("*"))]
    with pytest.raises(SettingsError, match="this program made"):
        put(folder, b="2", a="3")
    assert contents(tmp_path) == before
    assert [path.lstat().st_mode for path in sorted(folder.rglob("*"))] == found


def test_the_next_run_removes_the_files_of_a_killed_run(tmp_path: Path) -> None:
    """What a killed run made is removed by the next one, and nothing else that is called so."""
    code = (
        "import os, signal, sys; from pathlib import Path; from bgrating.tables.folder import"
        " writing\nwith writing(Path(sys.argv[1]), print) as new:\n    (new /"
        " 'a.csv').write_text('1'); os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", code, tmp_path], check=False)
    (left,) = tmp_path.glob(".new-*")
    shutil.copytree(left, tmp_path / ".new-copy")
    shutil.copytree(left / "files", tmp_path / ".new-other")
    (tmp_path / ".new-link").symlink_to(left)
    put(tmp_path, a="2")
    kept = sorted(path.name for path in tmp_path.glob(".new-*"))
    assert kept == [".new-copy", ".new-link", ".new-other"]


@pytest.mark.parametrize("killed_at", [1, 2])
def test_a_run_continues_one_that_was_killed_between_two_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, killed_at: int
) -> None:
    calls, replace = itertools.count(), Path.replace

    def late(path: Path, to: Path) -> Path:
        if path.parts[-2] != "files" or next(calls) < killed_at:
            return replace(path, to)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", late)
        with pytest.raises(KeyboardInterrupt):
            put(tmp_path, a="1", b="2")
    check_folder(tmp_path, RECORD)
    assert put(tmp_path, a="1", b="2") == []
    assert sorted(contents(tmp_path)) == ["a.csv", "b.csv", "pages/a.html"]


def test_a_mark_proves_the_name_and_every_byte(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_bytes(whole := marked("<p>ä\n</p>\n", "players/ann.html"))
    assert page_name(page) == "players/ann.html"
    assert whole.partition(b"\n")[2].decode() == "<p>ä\n</p>\n"
    changed = [
        whole[:place] + bytes([byte ^ 1]) + whole[place + 1 :] for place, byte in enumerate(whole)
    ]
    for other in (*changed, whole[:-1], whole + b"\n", b"", b"<!-- bgrating ", b"\n" + whole):
        page.write_bytes(other)
        assert page_name(page) == ""


def test_a_file_is_regular_and_of_a_size(tmp_path: Path) -> None:
    text, link, pipe = (tmp_path / name for name in ("a", "link", "pipe"))
    text.write_text("12345")
    link.symlink_to(text)
    os.mkfifo(pipe)
    with regular(text, 5) as file, regular(link, through_links=True) as linked:
        assert (file.read(), linked.read()) == (b"12345", b"12345")
    for path, largest in ((text, 4), (link, 9), (pipe, 9), (tmp_path, 9), (Path("/dev/zero"), 9)):
        with pytest.raises(
            OSError, match=r"larger than 4 bytes|not a regular file|Is a directory|symbolic links"
        ):
            regular(path, largest)


def test_a_table_that_another_command_is_writing_is_read_when_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The provenance is written first: for a moment the table beside it is the one before."""
    table, tried, replace = tmp_path / "a.csv", threading.Event(), Path.replace
    found: list[Future[pd.DataFrame]] = []

    def write(text: str) -> None:
        with writing(tmp_path, print, RECORD) as new, one_provenance(new / RECORD):
            write_text(f"a\n{text}\n", new / table.name)

    @contextmanager
    def waits(place: Path) -> Iterator[None]:
        tried.set()
        with locked(place):
            yield

    def slow(path: Path, target: Path) -> Path:
        moved = replace(path, target)
        if target == tmp_path / RECORD:
            found.append(pool.submit(read_settled, table))
            found[0].add_done_callback(lambda _: tried.set())
            assert tried.wait(600)
        return moved

    write("before")
    monkeypatch.setattr(Path, "replace", slow)
    monkeypatch.setattr(table_files, "locked", waits)
    with ThreadPoolExecutor(1) as pool:
        write("after")
        assert found[0].result()["a"].tolist() == ["after"]


def test_two_commands_do_not_write_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "_PATIENCE", 0.1)
    one, other = tmp_path / "a", tmp_path / "b"
    refused = pytest.raises(SettingsError, match="another command has been writing")
    with locked(one), locked(other), refused, locked(one):
        pass
    with locked(one):
        pass


@pytest.mark.parametrize(
    "number", [errno.ENOLCK, errno.EINVAL, errno.EOPNOTSUPP, errno.EIO, errno.ENOSYS]
)
def test_nobody_waits_where_there_are_no_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """As on a network's disk without locks, which SQLite would take for a locked one."""

    def without(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", without)
    with locked(tmp_path):
        (tmp_path / "written").touch()
    assert (tmp_path / "written").exists()
