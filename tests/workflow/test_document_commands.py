"""The commands in the documents' blocks, run as they stand from an empty folder."""

import os
import re
import shlex
import shutil
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import openpyxl
import pytest

from commands import of_user, run
from corpus import values
from short_match import match

COMMANDS = values("document_commands")
PROGRAMS = ("./run", "bgrating", "snakemake", "git", ".venv/bin")
FILES_OF_THE_STUDY = ("designs/mini.yaml", "levels/my-noise.yaml", "config.yaml")


def blocks(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    return re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def in_documents(project: Path) -> Iterator[str]:
    for path in [project / "README.md", *sorted(project.glob("docs/**/*.md"))]:
        # gnubg's own commands are for its maintainers; commands.md repeats what --help prints.
        if path.name in {"gnubg.md", "commands.md"} or path.name.startswith("preregistration"):
            continue
        for block in blocks(path):
            for line in block.splitlines():
                command = line.removeprefix("$ ")
                if re.match(rf"(?:{'|'.join(map(re.escape, PROGRAMS))})[ /]", command):
                    yield command


def test_every_command_of_a_block_is_run_here_or_elsewhere(project: Path) -> None:
    assert {*in_documents(project)} == {*COMMANDS["here"], *COMMANDS["elsewhere"]}
    for where in COMMANDS["elsewhere"].values():
        path = where.partition(":")[0]
        assert not path.startswith(("tests/", ".ci")) or (project / path).is_file(), where


@pytest.fixture
def folder(project: Path, tmp_path: Path) -> Path:
    """Return a folder with what the documents say that the reader has."""
    (tmp_path / "matches").mkdir()
    (tmp_path / "matches" / "final.mat").write_text(match("Ann Lee", "Bob"))
    rows = re.findall(r"^\| (.*) \|$", (project / "docs/club.md").read_text("utf-8"), re.MULTILINE)
    book = openpyxl.Workbook()
    for row in rows[:2]:
        book.active.append(row.split(" | "))
    book.save(tmp_path / "results.xlsx")
    (tmp_path / "docs").mkdir()
    for name in ("docs/ubgi_engine.py", "engine", "released"):
        shutil.copy(project / "docs/ubgi_engine.py", tmp_path / name)
    for name in ("engine", "released"):
        program = tmp_path / name
        program.write_text(f"#!{sys.executable} -I\n{program.read_text()}")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    with (tmp_path / "released").open("a") as released:
        released.write("# of last year\n")
    study = blocks(project / "docs/study.md")
    starts = ("title:", "description:", "part:")
    for name, start in zip(FILES_OF_THE_STUDY, starts, strict=True):
        path = tmp_path / "mine" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(next(block for block in study if block.startswith(start)))
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS["here"])
def test_a_command_does_as_it_stands(folder: Path, project: Path, command: str) -> None:
    more, status = COMMANDS["here"][command]
    program, *words = shlex.split(f"{command} {more}".replace("CLONE", str(project)))
    start = [sys.executable, "-m", program]
    path = f"{folder}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = run([*start, *words], cwd=folder, env=of_user(folder, PATH=path))
    assert done.returncode == status, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
