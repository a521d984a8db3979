"""./run and Snakemake: plain flags and paths, mistakes in one sentence, and killed runs."""

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from snakemake.cli import get_argument_parser, parse_config

from bgrating.command import COMMANDS, lacking
from bgrating.settings_files import load_yaml
from commands import SCRIPTS, Done, bgrating, run
from corpus import cases, data_text
from study.__main__ import OWN, parse_command
from study.__main__ import run as study


@pytest.fixture(autouse=True)
def later_tests_see_no_command_of_the_study(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the commands that the study adds to this process removed after each test."""
    for name, command in OWN.items():
        monkeypatch.setitem(COMMANDS, name, command)


@pytest.fixture
def place(tmp_path: Path, project: Path) -> Path:
    """Return a caller's folder with what people give by mistake."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "pictures").mkdir()
    picture = next((project / "results").rglob("*.png"))
    (tmp_path / "pictures" / "board.png").write_bytes(picture.read_bytes())
    (tmp_path / "club.csv").write_text("Nachname;Spielstärke\nann;3\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(("words", "settings"), cases("values.flags"))
def test_flags_and_paths_become_settings(
    place: Path, project: Path, words: str, settings: dict[str, object]
) -> None:
    found, others = parse_command(words.split(), place, project)
    assert others[0] == words.split(maxsplit=1)[0]
    expected = {
        key: value.format(place=place) if isinstance(value, str) else value
        for key, value in settings.items()
    }
    assert parse_config(found) == expected


@pytest.mark.parametrize(
    ("words", "named"),
    [("people", "PATH"), ("people games --nets 9", "--nets"), ("documents now", "now")],
)
def test_commands_without_snakemake_refuse_in_one_sentence(
    project: Path, words: str, named: str
) -> None:
    done = bgrating(*words.split(), module="study", cwd=project)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert named in done.stderr
    assert f"./run {words.split(maxsplit=1)[0]} --help lists what there is" in done.stderr


def test_the_study_marks_a_damaged_environment_for_repair(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "listed").touch()
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["run", "documents"])
    monkeypatch.setitem(sys.modules, "statsmodels", None)
    monkeypatch.setitem(OWN, "documents", ("statsmodels", ""))
    with pytest.raises(SystemExit) as ended:
        study()
    assert ended.value.code == 1
    assert "run the same command again, which repairs it" in capsys.readouterr().err
    assert not (tmp_path / "listed").exists()


def test_open_names_the_remedy_for_pages_that_need_more_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`./run rate` sets up less than the pages of the study need."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BGRATING_CALLER", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["run", "open", "nowhere"])
    folder = tmp_path / "results" / "1.08" / "part2"
    folder.mkdir(parents=True)
    for name in ("fit.provenance.json", "points.csv"):
        (folder / name).touch()
    for module in ("study.report.page", "study.report.figures"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(SystemExit):
        study()
    notice, refusal = capsys.readouterr().err.splitlines()
    assert notice.startswith("bgrating: pages of the study are missing: ")
    assert notice.endswith(
        "matplotlib.figure halted; None in sys.modules; ./run set-up installs it"
    )
    assert refusal == "bgrating: there is no page nowhere"


@pytest.mark.parametrize(
    "words", ["quick --help", "smoke -h", "--help", "results/1.08/part2/points.csv --help"]
)
def test_help_of_a_target_is_help_alone(project: Path, words: str) -> None:
    done = bgrating(*words.split(), module="study", cwd=project)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: ./run TARGET")
    assert "--collection VALUE" in done.stdout


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to give the environment to another user")
def test_the_environment_of_another_user_is_not_marked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "listed").touch()
    os.chown(tmp_path / "listed", 4321, -1)
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    words = lacking(ModuleNotFoundError("no pandas", name="pandas"), "rate")
    assert words.endswith(
        "is damaged (no pandas) and of another user: their next command repairs it"
    )
    assert (tmp_path / "listed").exists()


def test_two_commands_that_see_the_damage_at_once_both_name_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed, user = tmp_path / "listed", os.geteuid()
    listed.touch()
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: listed.unlink() or user)  # as the other one does
    words = lacking(ModuleNotFoundError("no pandas", name="pandas"), "rate")
    assert words.endswith("run the same command again, which repairs it")


def test_no_flag_of_ours_is_one_of_snakemakes(project: Path) -> None:
    theirs = {name for one in get_argument_parser()._actions for name in one.option_strings}
    for flag in load_yaml(project / "config/schemas/config.schema.yaml")["properties"]:
        assert f"--{flag}" not in theirs
        assert f"--{flag.replace('_', '-')}" not in theirs


@pytest.mark.parametrize(("words", "sentence"), cases("sentences.studies"))
def test_a_mistake_is_one_sentence_and_status_one(
    project: Path, place: Path, words: str, sentence: str
) -> None:
    done = bgrating(*words.split(), module="study", cwd=project, BGRATING_CALLER=place)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (1, "", 1)
    assert done.stderr.startswith(sentence.format(place=place))


SNAKEFILE = data_text("snakefiles/waiting.smk")
IN_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1],"
    " sys.argv[1:])"
)


class Stopped:
    """A run in a terminal of its own that waits in a state, and the command that runs it."""

    def __init__(self, root: Path, project: Path, state: str) -> None:
        self.root = root
        (root / "Snakefile").write_text(SNAKEFILE)
        (root / "profiles").symlink_to(project / "profiles")
        (root / "tmp").mkdir()
        self.environment = os.environ | SCRIPTS | {"TMPDIR": str(root / "tmp"), "STOP_AT": state}
        self.words = [sys.executable, "-m", "study", "all", "--cores", "1"]
        self.terminal, end = pty.openpty()
        streams = {"stdin": end, "stdout": subprocess.PIPE, "stderr": end, "text": True}
        command = [sys.executable, "-c", IN_TERMINAL, *self.words]
        self.started = subprocess.Popen(
            command, cwd=root, env=self.environment, start_new_session=True, **streams
        )
        os.close(end)
        assert self.started.stdout
        assert self.started.stdout.readline() == f"{state}\n"

    def end(self, how: str) -> None:
        """Close its terminal or send it a signal, let its job finish, and wait for its end."""
        if how == "terminal":
            os.close(self.terminal)
        else:
            self.started.send_signal(signal.Signals[how])
        (self.root / "go-on").touch()
        self.started.wait()

    def again(self) -> Done:
        return run(self.words, cwd=self.root, env=self.environment)


@pytest.fixture
def stopped(tmp_path: Path, project: Path) -> Iterator[Callable[[str], Stopped]]:
    """Return a function that starts a run and returns when it waits in a state."""
    runs = []

    def stop_at(state: str) -> Stopped:
        runs.append(Stopped(tmp_path, project, state))
        return runs[-1]

    yield stop_at
    (tmp_path / "go-on").touch()
    for each in runs:
        each.started.kill()
        each.started.communicate()


@pytest.mark.parametrize(
    ("state", "how"),
    [
        ("locked", "SIGKILL"),
        pytest.param("locked", "SIGHUP", marks=pytest.mark.slow),
        pytest.param("at work", "terminal", marks=pytest.mark.slow),
        pytest.param("at work", "SIGTERM", marks=pytest.mark.slow),
    ],
)
def test_an_ended_run_never_blocks_the_next(
    stopped: Callable[[str], Stopped], state: str, how: str
) -> None:
    first = stopped(state)
    first.end(how)
    again = first.again()
    assert again.returncode == 0, again.stderr
    assert (first.root / "slow").exists()


@pytest.mark.slow
def test_a_second_run_leaves_a_running_one_alone(stopped: Callable[[str], Stopped]) -> None:
    first = stopped("at work")
    second = first.again()
    assert second.returncode == 1
    assert (
        second.stderr
        == "error: another run is at work on the same files in this folder: wait for it\n"
    )
    assert first.started.poll() is None
    first.end("SIGCONT")
    assert first.started.returncode == 0
