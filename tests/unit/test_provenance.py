"""A provenance says whether the code was that of a commit."""

import subprocess
from pathlib import Path

from bgrating.provenance import code_version


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
