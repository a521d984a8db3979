"""`rate --watch`: every change is followed by a rating."""

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import watchfiles

from bgrating.watching import SETTLED, changes


def written(path: Path) -> None:
    path.write_text("another text")


def replaced(path: Path) -> None:
    """Write a file as an editor does."""
    draft = path.with_name("draft")
    draft.write_text("another text")
    draft.replace(path)


def made_anew(path: Path) -> None:
    """Delete the folder of a file, and make another one, which gets the same inode on ext4."""
    path.unlink()
    path.parent.rmdir()
    path.parent.mkdir()
    path.write_text("another text")


@pytest.mark.parametrize("is_folder", [False, True])
@pytest.mark.parametrize("change", [written, replaced, made_anew])
def test_the_second_change_is_seen_as_well_as_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None], is_folder: bool
) -> None:
    watch = watchfiles.watch

    def ten_minutes(*paths: Path, **how: Any) -> Iterator[object]:
        """A signal within a watch would end all tests."""
        return islice(watch(*paths, **how), 600_000 // SETTLED["rust_timeout"])

    monkeypatch.setattr(watchfiles, "watch", ten_minutes)
    monkeypatch.setitem(SETTLED, "debounce", 200)
    monkeypatch.setitem(SETTLED, "step", 50)
    file = tmp_path / "matches" / "a.mat"
    file.parent.mkdir()
    file.touch()
    ratings = changes([file.parent if is_folder else file], tmp_path / "results")
    next(ratings)
    for _ in range(3):
        change(file)
        next(ratings)
    ratings.close()


def test_a_path_that_is_gone_ends_no_watch(tmp_path: Path) -> None:
    """The rating names it, or finds it again."""
    ratings = changes([tmp_path / "absent"], tmp_path / "results")
    for _ in range(2):
        next(ratings)
