"""The command: plain flags and paths, every mistake one sentence, and what a killed run left."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from snakemake.cli import parse_config
from test_human import match

from bgrating.__main__ import UsageError, flags, rule_names, snakemake_parser, understood

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def command(project: Path) -> Run:
    """Return a function that runs the command as ./run does, from a caller's folder."""

    def run(*arguments: str, caller: Path = project) -> subprocess.CompletedProcess[str]:
        environment = os.environ | {"BGRATING_CALLER": str(caller), "PYTHONPATH": str(project / "scripts")}
        return subprocess.run(
            [sys.executable, "-m", "bgrating", *arguments],
            cwd=project, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip

    return run


@pytest.fixture
def place(tmp_path: Path, project: Path) -> Path:
    """Return a caller's folder with what people give by mistake."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "pictures").mkdir()
    picture = next((project / "results").rglob("*.png"))
    (tmp_path / "pictures" / "board.png").write_bytes(picture.read_bytes())
    (tmp_path / "club.csv").write_text("Nachname;Spielstärke\nann;3\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("humna", "there is no target humna: did you mean human?; ./run --help lists them"),
        ("-n humna", "there is no target humna: did you mean human?; ./run --help lists them"),
        ("rate nowhere", "there is no file or folder {place}/nowhere"),
        ("human", "rate wants match files, or a folder of them: ./run rate DIR"),
        ("people -n", "people wants match files, or a folder of them: ./run people DIR"),
        ("ratings", "ratings wants a table of games: ./run ratings FILE"),
        ("empty", "empty is no target; to rate the matches in it: ./run rate empty"),
        ("rate empty --lvel 2-ply", "there is no option --lvel: did you mean --level?; ./run --help lists them"),
        ("rate empty --level", "argument --analysis/--level: expected one argument; ./run --help lists what there is"),
        ("ratings club.csv club.csv", "ratings takes one file; put several tables of games together first"),
        ("ratings empty", "{place}/empty is a folder: ./run rate analyses match files; ratings takes a table of games"),
    ],
)
def test_a_mistake_is_refused_in_one_sentence(place: Path, project: Path, words: str, sentence: str) -> None:
    with pytest.raises(UsageError) as refused:
        understood(words.split(), snakemake_parser(), rule_names(project), place, project)
    assert str(refused.value) == sentence.format(place=place)


@pytest.mark.parametrize(
    ("words", "targets", "settings"),
    [
        ("rate empty --level 2-ply --no-luck", ["human"], {"collection": "{place}/empty", "analysis": "2-ply-no-luck"}),
        ("rate empty --no-luck", ["human"], {"collection": "{place}/empty", "analysis": "0-ply-no-luck"}),
        ("people empty --formula published", ["people"], {"collection": "{place}/empty", "coefficients": "published"}),
        ("human --config collection=x -c 1", ["human"], {}),
        ("human empty people --player ann", ["human", "people"], {"collection": "{place}/empty", "player": "ann"}),
        ("ratings club.csv --method elo", ["ratings"], {"games": "{place}/club.csv", "method": "elo"}),
        ("plan --halfwidth 15 --results out", ["plan"], {"halfwidth": 15, "results": "{place}/out"}),
        ("tournament --games-per-cell 3 --levels a,b", ["tournament"], {"games_per_cell": 3, "levels": "a,b"}),
        ("-n --cores 2 -F", [], {}),
    ],
)  # fmt: skip
def test_flags_and_paths_become_settings(
    place: Path, project: Path, words: str, targets: list[str], settings: dict[str, object]
) -> None:
    request = understood(words.split(), snakemake_parser(), rule_names(project), place, project)
    assert request.targets == targets
    expected = {key: value.format(place=place) if isinstance(value, str) else value for key, value in settings.items()}
    assert parse_config(request.settings) == expected


def test_no_flag_of_ours_is_one_of_snakemakes() -> None:
    options = [
        {name for one in parser._actions for name in one.option_strings} for parser in (flags(), snakemake_parser())
    ]
    assert not options[0] & options[1]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("humna", "bgrating: there is no target humna: did you mean human?; ./run --help lists them"),
        ("rate empty --level 9-ply", "error: no analysis level '9-ply'; there are: 0-ply"),
        ("plan", "error: plan wants one of halfwidth= (wanted half-width of every rating difference, points)"),
        ("results/none.csv", "error: no rule makes results/none.csv"),
    ],
)
def test_a_mistake_is_one_sentence_and_status_one(command: Run, place: Path, words: str, sentence: str) -> None:
    done = command(*words.split(), caller=place)
    assert done.returncode == 1
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith(sentence.format(place=place))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("human empty", "error: no match could be read in {place}/empty: the folder is empty"),
        ("people empty", "error: no match could be read in {place}/empty: the folder is empty"),
        (
            "rate pictures",
            "error: no match could be read in {place}/pictures: board.png: binary file, not a match text",
        ),
        ("ratings club.csv", "error: games={place}/club.csv: its first line (Nachname;Spielstärke) is not a form"),
    ],
)
def test_what_cannot_be_read_is_status_one_with_the_reason(
    command: Run, place: Path, words: str, sentence: str
) -> None:
    done = command(*words.split(), "--results", "results", "--nolock", caller=place)
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert [line.startswith(sentence.format(place=place)) for line in lines].count(True) == 1
    assert "Traceback" not in done.stderr
    assert "players" not in done.stdout  # nothing was found that could be told


def test_files_and_folders_are_rated_together_without_luck(command: Run, place: Path) -> None:
    (place / "one.mat").write_text(match())
    (place / "club").mkdir()
    (place / "club" / "one.mat").write_text(match(dice="43"))
    words = ["rate", "one.mat", "club", "--no-luck", "--formula", "published", "--results", "out", "--nolock"]
    done = command(*words, caller=place)
    assert done.returncode == 0, done.stderr
    assert "2 files: 2 analysed" in done.stdout
    table = (place / "out/human/one-and-1-more/files.csv").read_text()
    assert [line.split(",")[0] for line in table.splitlines()[1:]] == ["club/one.mat", "one.mat"]


SNAKEFILE = """
rule all:
    input: "slow"

rule slow:
    output: "slow"
    shell: "test -f done || sleep 600; touch {output}"
"""


class Slow:
    """A project of one slow job, and the command that runs it."""

    def __init__(self, root: Path, project: Path) -> None:
        self.root = root
        (root / "Snakefile").write_text(SNAKEFILE)
        (root / "profiles").symlink_to(project / "profiles")
        (root / "tmp").mkdir()
        environment = os.environ | {"PYTHONPATH": str(project / "scripts"), "TMPDIR": str(root / "tmp")}
        self.words = [sys.executable, "-m", "bgrating", "all", "--cores", "1"]
        self.started = subprocess.Popen(self.words, cwd=root, env=environment, stderr=subprocess.DEVNULL)
        while not (sleeping := self.sleeping()):
            assert self.started.poll() is None
            time.sleep(0.1)
        self.job = sleeping[0]
        self.environment = environment

    def sleeping(self) -> list[psutil.Process]:
        return [one for one in psutil.Process(self.started.pid).children(recursive=True) if one.name() == "sleep"]

    def again(self) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.words, cwd=self.root, env=self.environment, capture_output=True, text=True, check=False
        )


@pytest.fixture
def slow(tmp_path: Path, project: Path) -> Iterator[Slow]:
    """Return a run that is at its slow job."""
    run = Slow(tmp_path, project)
    yield run
    for process in (run.job, psutil.Process(run.started.pid)) if run.started.poll() is None else (run.job,):
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    run.started.wait()


def test_an_interrupted_run_goes_on_when_started_again(slow: Slow) -> None:
    slow.started.send_signal(signal.SIGKILL)
    slow.started.wait()
    assert slow.job.is_running()
    assert list((slow.root / ".snakemake/locks").iterdir())
    (slow.root / "done").touch()
    again = slow.again()
    assert again.returncode == 0, again.stderr
    assert "bgrating: an earlier run was killed: going on where it stopped; ended " in again.stderr
    assert not slow.job.is_running()
    assert list((slow.root / "tmp").iterdir()) == []
    assert list((slow.root / ".snakemake/runs").iterdir()) == []


def test_a_run_at_work_is_left_alone(slow: Slow) -> None:
    second = slow.again()
    assert second.returncode == 1
    assert second.stderr.startswith("error: another run is at work in this folder")
    assert slow.started.poll() is None
    assert slow.job.is_running()
