"""The example engine of docs/engines.md: it passes the check, and says what the page shows."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from bgduel.command.check import command
from bgduel.match import MOST_PLIES
from bgmatch.replay import MAX_CUBE
from corpus import cases

ENGINE = [sys.executable, "-I", "docs/ubgi_engine.py"]


@pytest.fixture
def page(project: Path) -> str:
    return (project / "docs" / "engines.md").read_text(encoding="utf-8")


def test_the_example_needs_nothing_and_passes_the_check(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    done = CliRunner().invoke(command, [" ".join(ENGINE)], standalone_mode=False)
    assert (done.return_value, done.output.count("\nnone")) == (0, 0)
    code = [line for line in Path(ENGINE[-1]).read_text().splitlines() if line.strip()]
    assert len([line for line in code if '"""' not in line]) < 65


def test_the_transcript_is_what_the_example_says(project: Path, page: str) -> None:
    (lines,) = re.findall(r"^```\n(> ubgi\n.*?)^```", page, re.MULTILINE | re.DOTALL)
    asked = re.findall(r"^> (.*)$", lines, re.MULTILINE)
    told = re.findall(r"^< (.*)$", lines, re.MULTILINE)
    done = subprocess.run(
        ENGINE, input="\n".join(asked), capture_output=True, text=True, cwd=project, check=True
    )
    assert done.stdout.splitlines() == told
    assert len(lines.splitlines()) == 12


@pytest.mark.parametrize(("checked", "verdict", "status", "words"), cases("values.steps_of_ci"))
def test_the_step_of_ci_ends_by_the_exit_status(
    page: str, checked: int, verdict: int, status: int, words: str
) -> None:
    (step,) = re.findall(r"^```bash\n(set -e\n.*?)^```", page, re.MULTILINE | re.DOTALL)
    stub = f"bgrating() {{ [ $1 = check ] && return {checked}; return {verdict}; }}\n"
    done = subprocess.run(
        ["bash", "-e", "-c", stub + step], capture_output=True, text=True, check=False
    )
    assert done.returncode == status
    assert words in done.stdout
    assert words or not done.stdout


def test_the_page_has_the_limits_of_the_referee(page: str) -> None:
    assert f"After {MOST_PLIES:,} rolls a game is void" in page
    assert f"stops at {MAX_CUBE:,}" in " ".join(page.split())
