"""The command `bgrating`: how it ends, and what it loads."""

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from bgrating import BgratingError, command
from bgrating.command import COMMANDS, main
from corpus import cases

End = Callable[..., tuple[int, str, str]]


@pytest.fixture
def end(capsys: pytest.CaptureFixture[str]) -> End:
    """Return a function that runs the command with some words: status, output, error."""

    def run(*words: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(list(words))
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return run


@pytest.mark.parametrize(("words", "sentence"), cases("sentences.impossible_words"))
def test_an_impossible_word_is_refused_in_one_line(
    end: End, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, words: list[str], sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, err = end(*words)
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert sentence in err


def test_control_characters_are_escaped(end: End) -> None:
    assert end("open", "no\x1b[2J\u202ewhere") == (
        1,
        "",
        "bgrating: there is no page no\\x1b[2J\\u202ewhere\n",
    )


@pytest.mark.parametrize(
    "words", [[], ["--help"], ["-h"], *([name, "--help"] for name in COMMANDS)]
)
def test_help_is_short_and_names_an_example(
    end: End, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")  # whatever the terminal of whoever tests
    status, out, err = end(*words)
    assert (status, err) == (0, "")
    assert len(out.splitlines()) <= 40
    assert len(words) < 2 or f"  bgrating {words[0]} " in out


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], None]:
    """Return a function that makes a command end with an error."""

    def fail(problem: BaseException) -> None:
        @click.command()
        def one() -> None:
            raise problem

        monkeypatch.setattr(command.Commands, "get_command", lambda *_: one)

    return fail


EXTRA = "in a clone of bgrating: pip install ./scripts/bgmatch"
TOO_LITTLE = (
    "bgrating: memory is limited to 400 MB here (ulimit -v), which is too little for this command\n"
)


@pytest.mark.parametrize(
    ("problem", "status", "err"),
    [
        (KeyboardInterrupt(), 130, "\nbgrating: stopped; run the same command again to go on\n"),
        (BgratingError("one\ntwo\x07"), 1, "bgrating: one\\ntwo\\x07\n"),
        (
            ModuleNotFoundError("no pandas", name="pandas"),
            1,
            f"bgrating: no pandas; calc needs an extra; {EXTRA} '.[rate]'\n",
        ),
        (ImportError("failed to map segment from shared object", name="pandas"), 1, TOO_LITTLE),
        (MemoryError(), 1, TOO_LITTLE),
        (RuntimeError("can't start new thread"), 1, TOO_LITTLE),
    ],
)
def test_an_error_is_a_sentence_and_a_status(
    end: End,
    failing: Callable[[BaseException], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    problem: BaseException,
    status: int,
    err: str,
) -> None:
    """Where memory is limited: a duel at 400 MB ended in a traceback."""
    monkeypatch.setattr("bgrating.engine.protocol.memory_limit", lambda: 400_000_000)
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    failing(problem)
    assert end("calc") == (status, "", err)


def test_a_damaged_environment_of_the_project_is_marked_for_repair(
    end: End,
    failing: Callable[[BaseException], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "listed").touch()
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    failing(ModuleNotFoundError("No module named 'pandas.core'", name="pandas.core"))
    status, _, err = end("calc")
    assert status == 1
    assert "run the same command again, which repairs it" in err
    assert not (tmp_path / "listed").exists()


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_while_python_exits_reports_no_stop(name: str) -> None:
    """It used to print `stopped`, with status 0."""
    code = f"""import atexit, os, signal
from bgrating.command import main
atexit.register(lambda: os.kill(os.getpid(), signal.{name}))
main(["--version"])"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (-getattr(signal, name), "")


def test_an_error_of_ours_is_not_hidden(failing: Callable[[BaseException], None]) -> None:
    failing(ModuleNotFoundError("No module named 'bgrating.nothing'", name="bgrating.nothing"))
    with pytest.raises(ModuleNotFoundError):
        main(["calc"])


def test_a_reader_that_ends_early_is_no_error() -> None:
    words = [sys.executable, "-m", "bgrating", "calc", "--length", "7", "--pr", "6"]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
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


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the address space")
@pytest.mark.parametrize("size", [400_000, 900_000])
def test_rate_names_too_small_a_memory_before_a_library_fails(tmp_path: Path, size: int) -> None:
    words = (
        f"ulimit -v {size}; exec {sys.executable} -m bgrating rate {tmp_path} --results"
        f" {tmp_path}/results"
    )
    run = subprocess.run(["sh", "-c", words], capture_output=True, text=True, check=False)
    wanted = (
        f"bgrating: memory is limited to {size * 1024 / 10**6:,.0f} MB here (ulimit -v): rate needs"
        " 1,000 MB\n"
    )
    assert (run.returncode, run.stderr) == (1, wanted)
