"""What a release would hand out: wheels and source distributions of bgmatch and bgrating."""

import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from commands import Done, of_user, run
from corpus import cases
from study.environment import environment_of_uv

pytestmark = pytest.mark.slow
SCRIPT = """
from pathlib import Path

import bgmatch
import bgrating


class Noted(bgrating.Progress):
    def say(self, sentence: str) -> None:
        print(sentence.upper())


def strongest(folder: Path) -> str:
    rated: bgrating.RateResult = bgrating.rate(folder, level="0-ply", progress=Noted())
    return str(rated.players["player"].iloc[0])


player = bgrating.Player(epm=8.1, epc=3.2, count="move")
print(round(bgrating.rating_of(player, 7).value))
match: bgmatch.Match = bgmatch.read_matches(b"").matches[0]
print(bgrating.write_mat(match))
"""


@pytest.fixture(scope="module")
def made(source: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the distributions by name and ending, for example `bgmatch.whl`."""
    folder = tmp_path_factory.mktemp("made")
    for place in (source, source / "scripts" / "bgmatch"):
        build = ["uv", "build", "--quiet", "--no-build-isolation", "--python", sys.executable]
        done = run([*build, "--out-dir", folder, place])
        assert done.returncode == 0, done.stderr
    return {f"{path.name.split('-')[0]}{path.suffix}": path for path in folder.glob("bg*")}


def empty_environment(place: Path, *words: object) -> Path:
    """Return the Python of a new environment, into which uv has installed what `words` name."""
    python = place / "bin/python"
    uv = {"env": environment_of_uv(sys.executable), "cwd": place.parent}
    venv = ["uv", "venv", "--quiet", "--python", sys.executable, place]
    for command in (venv, ["uv", "pip", "install", "--quiet", "--python", python, *words]):
        done = run(command, **uv)
        assert done.returncode == 0, done.stderr
    return python


@pytest.fixture(scope="module")
def alone(made: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the Python of an environment with both wheels, and only what they need."""
    place = tmp_path_factory.mktemp("alone") / "environment"
    return empty_environment(place, made["bgmatch.whl"], made["bgrating.whl"])


def calculate(python: Path, folder: Path) -> Done:
    words = [python.with_name("bgrating"), "calc", "--length", "7", "--pr", "6"]
    return run(words, cwd=folder, env=of_user(folder, PYTHONPATH=""))


def test_an_index_would_take_them(made: dict[str, Path]) -> None:
    done = run([sys.executable, "-m", "twine", "check", "--strict", *made.values()])
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("PASSED") == len(made) == 4


def test_wheels_do_in_an_empty_environment(alone: Path, tmp_path: Path) -> None:
    done = calculate(alone, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "rating 18" in done.stdout
    asks = "import bgmatch, bgrating; print(dir(bgrating), dir(bgmatch), bgmatch.read_matches)"
    done = run([alone, "-c", asks], cwd=tmp_path)
    assert "'predict', 'rate', 'rating_of'" in done.stdout, done.stderr


def test_source_distributions_do_in_an_empty_environment(
    made: dict[str, Path], tmp_path: Path
) -> None:
    python = empty_environment(tmp_path / "environment", made["bgmatch.gz"], made["bgrating.gz"])
    assert calculate(python, tmp_path).returncode == 0


def test_a_source_distribution_has_its_tests_and_changelog(
    made: dict[str, Path], tmp_path: Path
) -> None:
    with tarfile.open(made["bgrating.gz"]) as archive:
        archive.extractall(tmp_path, filter="data")
    (folder,) = tmp_path.iterdir()
    assert (folder / "CHANGELOG.md").is_file()
    words = ["-q", "-p", "no:cacheprovider", "-c", "scripts/bgmatch/pyproject.toml"]
    pytest = [sys.executable, "-m", "pytest", *words, "tests/unit/bgmatch/test_board.py"]
    done = run(pytest, cwd=folder, env=os.environ | {"PYTHONPATH": str(folder / "scripts")})
    assert done.returncode == 0, done.stdout


def test_a_type_checker_sees_the_types(alone: Path, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    lines, messages = zip(*cases("values.wrong_lines"), strict=True)
    wrong = "\n".join(["import bgmatch", "import bgrating", *lines])
    (tmp_path / "wrong.py").write_text(wrong)

    def checked(name: str) -> subprocess.CompletedProcess[str]:
        mypy = [sys.executable, "-m", "mypy", "--strict", "--python-executable", alone]
        return run([*mypy, name], cwd=tmp_path, env=os.environ | {"PYTHONPATH": "", "MYPYPATH": ""})

    assert checked("script.py").stdout == "Success: no issues found in 1 source file\n"
    said = checked("wrong.py").stdout.splitlines()
    for number, message in enumerate(messages, start=3):
        assert any(f":{number}: error: " in line and message in line for line in said), said
