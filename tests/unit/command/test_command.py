"""The command `bgrating`: what it refuses and how, how it ends, and what it loads."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest

import bgrating
from bgrating import BgratingError, command
from bgrating.command import COMMANDS, main

ALL = "; bgrating --help lists what there is"
CALC = "; bgrating calc --help lists what there is"
End = Callable[..., tuple[int, str, str]]


@pytest.fixture
def end(capsys: pytest.CaptureFixture[str]) -> End:
    """Return a function that runs the command with some words: exit status, standard output and error."""

    def run(*words: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(list(words))
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return run


def bgrating_process(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "bgrating", *words],
        env=os.environ | {"PYTHONPATH": str(Path(bgrating.__file__).parents[1])},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("clac", f"there is no command clac: did you mean calc?{ALL}"),
        ("CALC", f"there is no command CALC: did you mean calc?{ALL}"),
        ("xyz", f"there is no command xyz{ALL}"),
        ("--versoin", f"there is no option --versoin: did you mean --version?{ALL}"),
        ("calc --lenght 7", f"there is no option --lenght: did you mean --length?{CALC}"),
        ("calc --length 7 --pr x", f"Invalid value for '--pr': 'x' is not a number{CALC}"),
        ("calc --length 7 --pr", "Option '--pr' requires an argument"),
        ("open nowhere", "there is no page nowhere"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_sentence_and_status_one(end: End, words: str, sentence: str) -> None:
    assert end(*words.split()) == (1, "", f"bgrating: {sentence}\n")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["rate", "m", "--results="], "the path is empty"),
        (["rate", ""], "the path is empty"),
        (["ratings", "a\0b"], "no path holds the character NUL"),
        (["open", "--results=a\0b"], "no path holds the character NUL"),
        (["rate", "m", "--results", "--no-luck"], "--results lacks its value: --no-luck is an option"),
        (["rate", ".", "--level=\n"], "(or add \\n.yaml to analysis/)"),
        (["rate", ".", "--formula=\u2028"], "formula \\u2028"),
    ],
)
def test_a_word_that_nobody_means_is_one_line(
    end: End, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, words: list[str], sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, err = end(*words)
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert sentence in err


def test_a_folder_is_no_command_and_the_sentence_says_what_rates_it(end: End, tmp_path: Path) -> None:
    status, _, err = end(str(tmp_path))
    assert status == 1
    assert f"to rate the matches in it: rate {tmp_path};" in err


def test_control_characters_are_escaped(end: End) -> None:
    assert end("open", "no\x1b[2J\u202ewhere") == (1, "", "bgrating: there is no page no\\x1b[2J\\u202ewhere\n")


@pytest.mark.parametrize("words", [[], ["--help"], ["-h"], *([name, "--help"] for name in COMMANDS)])
def test_help_is_short_and_names_an_example(end: End, words: list[str]) -> None:
    status, out, err = end(*words)
    assert (status, err) == (0, "")
    assert len(out.splitlines()) <= 40
    assert len(words) < 2 or f"  bgrating {words[0]} " in out


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], None]:
    """Return a function that makes `calc` end with an error."""

    def fail(problem: BaseException) -> None:
        @click.command()
        def one() -> None:
            raise problem

        monkeypatch.setattr(command.Commands, "get_command", lambda *_: one)

    return fail


def test_an_interrupt_is_one_sentence_and_130(end: End, failing: Callable[[BaseException], None]) -> None:
    failing(KeyboardInterrupt())
    assert end("calc") == (130, "", "\nbgrating: stopped; run the same command again to go on\n")


def test_an_error_of_several_lines_keeps_them(end: End, failing: Callable[[BaseException], None]) -> None:
    failing(BgratingError("one\ntwo\x07"))
    assert end("calc") == (1, "", "bgrating: one\ntwo\\x07\n")


def test_a_missing_package_names_the_extra(
    end: End, failing: Callable[[BaseException], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    for package, extra in (("pandas", "rate"), ("whr", "ratings"), ("PIL.Image", "ratings")):
        failing(ModuleNotFoundError(f"No module named '{package}'", name=package))
        status, _, err = end("calc")
        assert status == 1
        needs = "this command needs the packages of an extra: pip install"
        assert err == f"bgrating: No module named '{package}': {needs} 'bgrating[{extra}]'\n"


def test_a_damaged_environment_of_the_project_is_marked_for_repair(
    end: End, failing: Callable[[BaseException], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "checked").touch()
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    failing(ModuleNotFoundError("No module named 'pandas.core'", name="pandas.core"))
    status, _, err = end("calc")
    assert status == 1
    assert "run the same command again, which repairs it" in err
    assert not (tmp_path / "checked").exists()


@pytest.mark.skipif(os.name != "posix", reason="another system's signals")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_while_python_exits_tells_of_no_stop(name: str) -> None:
    """It used to print `stopped`, with status 0."""
    code = f"""import atexit, os, signal
from bgrating.command import exit_on_signals
atexit.register(lambda: os.kill(os.getpid(), signal.{name}))
exit_on_signals()"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (-getattr(signal, name), "", "")


@pytest.mark.skipif(os.name != "posix", reason="another system's signals")
def test_a_signal_that_nohup_ignores_stays_ignored() -> None:
    code = """import os, signal
from bgrating.command import exit_on_signals
signal.signal(signal.SIGHUP, signal.SIG_IGN)
exit_on_signals()
os.kill(os.getpid(), signal.SIGHUP)
print("goes on")"""
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "goes on\n"


def test_an_error_of_ours_is_not_hidden(failing: Callable[[BaseException], None]) -> None:
    failing(ModuleNotFoundError("No module named 'bgrating.nothing'", name="bgrating.nothing"))
    with pytest.raises(ModuleNotFoundError):
        main(["calc"])


def test_nobody_who_reads_on_is_no_error() -> None:
    with bgrating_process("calc", "--length", "7", "--pr", "6") as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 1


@pytest.mark.parametrize(
    "words", ["calc --length 7 --pr 6", "calc --lenght 7", *(f"{name} --help" for name in COMMANDS)]
)
def test_an_answer_a_mistake_and_help_import_nothing_that_takes_long(words: str) -> None:
    """`./run bench` measures the time."""
    slow = {"jsonschema", "matplotlib", "numpy", "pandas", "pyarrow", "scipy", "snakemake"}
    code = (
        "import atexit, sys\nfrom bgrating.command import main\n"
        f"atexit.register(lambda: print(sorted({slow} & set(sys.modules))))\nmain({words.split()})"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.stdout.splitlines()[-1] == "[]", run.stderr
