"""A folder of results: its name, whether it is ours, and who writes in it."""

import errno
import fcntl
from pathlib import Path

import pytest

from bgrating.settings import SettingsError
from bgrating.tables import folder
from bgrating.tables.folder import alone, check_folder, check_name, name_of


@pytest.mark.parametrize("name", ["", "../x", "a/b", "/etc", ".hidden", "a b", "x\\y", "ü", "{a}", "a\n"])
def test_a_name_that_may_lead_elsewhere_is_refused(name: str) -> None:
    with pytest.raises(SettingsError, match="a name of results has letters"):
        check_name(name)


def test_a_name_is_made_of_that_of_a_file() -> None:
    assert name_of(Path("a/club {2026} ü.csv"), "games") == "club-2026"
    assert name_of(Path("{}.csv"), "games") == "games"


def test_what_others_made_is_left_alone(tmp_path: Path) -> None:
    check_folder(tmp_path / "new" / "deep", "ours.json", ["old.json"])
    assert list(tmp_path.iterdir()) == []
    for name in (".lock", "working"):  # as a run has them before its first table
        (tmp_path / name).touch()
    check_folder(tmp_path, "ours.json", ["old.json"], "working")
    (tmp_path / "working").unlink()
    (tmp_path / "a.csv").touch()
    with pytest.raises(SettingsError, match=r"holds a a\.csv that this program did not make; it is left as it is"):
        check_folder(tmp_path, "ours.json", ["old.json"])
    (tmp_path / "old.json").touch()
    with pytest.raises(SettingsError, match="the results of an older version"):
        check_folder(tmp_path, "ours.json", ["old.json"])
    (tmp_path / "ours.json").touch()
    check_folder(tmp_path, "ours.json", ["old.json"])


def test_two_do_not_write_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder, "_PATIENCE", 0.1)
    with (
        alone(tmp_path / "a"),
        alone(tmp_path / "b"),
        pytest.raises(SettingsError, match="another command has been writing"),
        alone(tmp_path / "a"),
    ):
        pass
    with alone(tmp_path / "a"):
        pass


def test_nobody_waits_where_there_are_no_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a network's disk without a lock manager: SQLite, which tries again and again, would take it for locked."""

    def without(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", without)
    with alone(tmp_path):
        (tmp_path / "written").touch()
    assert (tmp_path / "written").exists()
