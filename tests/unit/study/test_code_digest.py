"""Which edits of a module change the digest of the code that imports it."""

from pathlib import Path

import pytest

from corpus import cases
from study.code_digest import code_digest

MODULES = cases("values.modules")


@pytest.fixture
def scripts(tmp_path: Path) -> Path:
    for name, text in MODULES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(("name", "text", "changes"), cases("values.edits_of_code"))
def test_only_code_that_is_imported_changes_a_digest(
    scripts: Path, tmp_path_factory: pytest.TempPathFactory, name: str, text: str, changes: bool
) -> None:
    before = code_digest("room.job", scripts=scripts)
    edited = tmp_path_factory.mktemp("edited") / "scripts"  # files are read once
    scripts.rename(edited)
    (edited / name).write_text(text)
    assert (code_digest("room.job", scripts=edited) != before) is changes


def test_two_modules_have_another_digest_than_one(scripts: Path) -> None:
    assert code_digest("room.late", scripts=scripts) != code_digest("room.job", scripts=scripts)
