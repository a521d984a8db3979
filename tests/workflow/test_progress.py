"""The progress display: a small workflow run by the real Snakemake, in a pipe and in a terminal."""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from commands import SCRIPTS, run
from corpus import cases, data_text

SNAKEFILE = data_text("snakefiles/progress.smk")
ENVIRONMENT = os.environ | SCRIPTS | {"TERM": "xterm", "COLUMNS": "80"}


@pytest.fixture
def command(tmp_path: Path, project: Path) -> list[str]:
    (tmp_path / "Snakefile").write_text(SNAKEFILE)
    (tmp_path / "profiles").symlink_to(project / "profiles")
    snakemake = Path(sys.executable).with_name("snakemake")
    words = ["--snakefile", str(tmp_path / "Snakefile"), "--logger", "bgrating", "--cores=2"]
    return [str(snakemake), "--directory", str(tmp_path), *words]


def run_in_pipe(command: list[str]) -> tuple[int, str]:
    both = {"capture_output": False, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    result = run(command, cwd=command[2], env=ENVIRONMENT | {"FORCE_COLOR": "1"}, **both)
    return result.returncode, result.stdout


def run_in_terminal(command: list[str]) -> tuple[int, str]:
    ours, theirs = pty.openpty()
    streams = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
    with subprocess.Popen(command, cwd=command[2], env=ENVIRONMENT, **streams) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # Linux says so when the last writer has gone
                break
            if not part:
                break
            shown += part
    os.close(ours)
    return process.returncode, shown.decode()


@pytest.mark.slow
def test_a_pipe_gets_few_plain_lines(command: list[str]) -> None:
    status, text = run_in_pipe(command)
    assert status == 0, text
    assert "\x1b" not in text
    assert "22 of 22 steps\n" in text
    assert "the formula\n" in text
    assert len(text.splitlines()) == 12


def test_a_terminal_gets_a_bar_with_the_time_left(command: list[str]) -> None:
    status, text = run_in_terminal(command)
    assert status == 0, text
    text = re.sub(r"\x1b\[[^A-Za-z]*[A-Za-z]", "", text)
    assert re.search(r"steps ━.* \d+% 0:00:\d\d", text)
    assert "100%" in text
    assert "the formula" in text
    assert "wildcards" not in text


def test_a_failure_names_the_job_and_ends_with_its_log(command: list[str]) -> None:
    status, text = run_in_pipe([*command, "--config", "fails=7"])
    assert status == 1
    assert "play failed.\n7.log ends with:\n    The engine died\n" in text
    assert "22 of 22" not in text


@pytest.mark.slow
def test_a_log_that_ends_with_a_sentence_is_that_sentence(command: list[str]) -> None:
    status, text = run_in_pipe([*command, "--config", "fails=7", "says=1"])
    assert status == 1
    assert "error: no room\n" in text
    assert "failed" not in text


@pytest.mark.parametrize(("words", "sentence"), cases("sentences.questions_to_snakemake"))
def test_a_wrong_question_is_one_sentence(
    command: list[str], words: list[str], sentence: str
) -> None:
    status, text = run_in_pipe([*command, *words])
    # Before it Snakemake names the profile.
    assert (status, text.splitlines(keepends=True)[1:]) == (1, [sentence])
