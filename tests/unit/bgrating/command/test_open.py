"""`open`: which page it shows."""

import os
from pathlib import Path

import pytest

from bgrating.command.open import _page


@pytest.mark.parametrize("is_reversed", [False, True])
def test_of_pages_of_one_moment_the_order_of_folders_does_not_choose(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_reversed: bool
) -> None:
    """A copy or an archive may give all files one time."""
    pages = [tmp_path / "human" / name / "report.html" for name in "abc"]
    for page in pages:
        page.parent.mkdir(parents=True)
        page.touch()
        os.utime(page, (1000, 1000))
    os.utime(pages[0], (999, 999))
    listed = sorted(pages, reverse=is_reversed)
    monkeypatch.setattr(Path, "rglob", lambda *_: iter(listed))
    assert _page(None, tmp_path) == pages[1]
