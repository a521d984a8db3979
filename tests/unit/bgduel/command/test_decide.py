"""`bgrating decide`: sides play without Snakemake; the next run goes on from what was played."""

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import psutil
import pytest
from click.testing import CliRunner

from bgduel.command.decide import command
from bgmatch import read_matches
from bgrating.engine.locate import GAMES, Engine
from bgrating.tables.provenance import read_provenance
from commands import begun
from corpus import cases

WORDS = ("--match-length", "1", "--most", "400", "--better", "200", "--concurrency", "2")
QUICK = ("--levels", "expert,beginner", "--most", "100", "--seed", "3")
# Matches long enough that an engine is still at work when the test has seen it begin, on a busy
# machine too.
LONGER = (*QUICK, "--match-length", "3")
UBGI = Path(__file__).parents[1] / "ubgi_engine.py"
PROGRAM = f"ubgi:{sys.executable} {UBGI}"
AGAINST = ("--levels", f"expert,{PROGRAM}", "--name", "any", "--answer-limit", "600")


def decide(place: Path, *words: str) -> tuple[str, int]:
    """Return what a run tells, and its exit status."""
    every = [*WORDS, *words, "--results", str(place)]
    done = CliRunner().invoke(command, every, standalone_mode=False, catch_exceptions=False)
    return done.stdout, done.return_value


def started(place: Path, *words: str, **how: Any) -> "subprocess.Popen[str]":
    waits = {"TMPDIR": str(place), "UBGI_WAITS": str(place / "goes_on")}
    how |= {"env": os.environ | waits, "stderr": subprocess.STDOUT}
    return begun("decide", *WORDS, *words, "--results", place, **how)


def at_work(run: "subprocess.Popen[str]", place: Path, pattern: str) -> list[psutil.Process]:
    """Wait for a file of a pattern, and return the processes that a run has started."""
    while not has_file(place, pattern):
        assert run.poll() is None
        time.sleep(0.01)
    return psutil.Process(run.pid).children(recursive=True)


def command_of(process: psutil.Process) -> str:
    """Return the command of a process; empty if it has ended."""
    with suppress(psutil.NoSuchProcess):
        return " ".join(process.cmdline())
    return ""


def has_file(place: Path, pattern: str) -> bool:
    """Tell whether a file is there, and no folder goes while it is looked for."""
    try:
        return any(True for _ in place.rglob(pattern))
    except FileNotFoundError:
        return False


def folder_of(place: Path, engine: Engine, name: str) -> Path:
    (table,) = (place / engine.known.version / "decide" / name).rglob("decision.csv")
    return table.parent


def times_of(folder: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in folder.glob("shards/**/*") if path.is_file()}


@pytest.mark.slow
def test_two_levels_are_told_apart_and_nothing_is_played_twice(
    engine: Engine, tmp_path: Path
) -> None:
    first, _ = decide(tmp_path, *QUICK)
    assert "expert is stronger than beginner" in first
    folder = folder_of(tmp_path, engine, "expert~beginner-1-points")
    answer = folder / "decision.csv"
    assert f"Table: {answer}\n" in first
    table = pd.read_csv(answer)
    assert table["matches"].tolist() == [40]
    assert answer.with_name("decision.csv.provenance.json").is_file()
    played = times_of(folder.parent)
    assert len([path for path in played if path.suffix == ".zip"]) >= 4
    answer.unlink()
    assert decide(tmp_path, *QUICK)[0] == first
    assert json.loads(decide(tmp_path, *QUICK, "--json")[0])["verdict"] == "stronger"
    assert times_of(folder.parent) == played
    assert pd.read_csv(answer).equals(table)


def test_a_wrong_level_is_refused_before_anything_slow_is_loaded_and_without_snakemake(
    tmp_path: Path,
) -> None:
    code = (
        "import sys; sys.modules.update(snakemake=None, pandas=None); from bgrating.command import"
        f" main;main(['decide', '--levels', 'expert,wizard', '--results', {str(tmp_path)!r}])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("bgrating: no player level 'wizard'")


@pytest.fixture(scope="module")
def undisturbed(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("undisturbed")
    decide(folder, *LONGER)
    return left(folder)


def left(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.name == "decision.csv" or re.fullmatch(r"00[01]\.(csv|zip|.*part)", path.name)
    }


@pytest.mark.slow
@pytest.mark.parametrize(("victim", "sent", "status", "sentence"), cases("faults.ends_of_duels"))
def test_a_run_that_is_ended_or_stands_still_leaves_no_engine_and_the_next_goes_on(
    undisturbed: dict[str, bytes],
    tmp_path: Path,
    victim: str,
    sent: str,
    status: int,
    sentence: str,
) -> None:
    limit = ["--time-limit", "0.15"] if sent == "STOP" else []
    with started(tmp_path, *LONGER, *limit) as process:
        engine_processes = at_work(process, tmp_path, "bgrating-*/*.mat")
        # Any of the engines may be needed no more.
        for found in [process] if victim == "run" else engine_processes:
            with suppress(psutil.NoSuchProcess):
                found.send_signal(signal.Signals[f"SIG{sent}"])
        out = process.communicate(timeout=600)[0]
    assert process.returncode == status
    assert sentence in out
    assert len(out.strip().splitlines()) == bool(sentence)
    _, alive = psutil.wait_procs(engine_processes, timeout=600)
    assert not alive
    if status != -9:
        assert not list(tmp_path.glob("bgrating-*"))
    goes_on(tmp_path, undisturbed)


def goes_on(folder: Path, undisturbed: dict[str, bytes]) -> None:
    decide(folder, *LONGER)
    found = left(folder)
    assert {name: found[name] for name in found if not name.startswith("bgrating-")} == undisturbed


@pytest.mark.slow
def test_a_full_disk_is_one_sentence_and_the_next_run_goes_on(
    undisturbed: dict[str, bytes], tmp_path: Path
) -> None:
    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    with started(tmp_path, *LONGER, preexec_fn=limited) as process:
        out = process.communicate(timeout=600)[0]
    assert process.returncode == 1
    assert out.startswith("bgrating: ")
    assert out.count("\n") == 1
    assert "File too large" in out
    assert "set TMPDIR, then run again" in out
    goes_on(tmp_path, undisturbed)


@pytest.fixture(scope="module")
def finished_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, int]:
    """Return the results' folder of a level against a program, the output and the status."""
    place = tmp_path_factory.mktemp("finished_run")
    return place, *decide(place, *AGAINST)


@pytest.mark.slow
def test_a_program_meets_a_level_and_the_archive_is_a_collection(
    engine: Engine, finished_run: tuple[Path, str, int]
) -> None:
    place, out, status = finished_run
    assert status == 0
    assert "expert is stronger than ubgi-engine.py" in out
    folder = folder_of(place, engine, "any")
    table = pd.read_csv(folder / "decision.csv")
    assert table["matches"].tolist() == [40]
    assert "forfeited" not in out
    sides = read_provenance(folder / "decision.csv")["sides"]
    assert sides["expert"]["version"].startswith("GNU Backgammon")
    archives = sorted(folder.parent.glob("shards/**/00[01].zip"))
    assert len(archives) == 4
    with zipfile.ZipFile(archives[0]) as archive:
        texts = [read_matches(archive.read(name)).matches[0] for name in archive.namelist()]
    assert len(texts) == 10
    assert all(match.complete and not match.findings for match in texts)
    written = times_of(folder.parent)
    assert decide(place, *AGAINST) == (out, status)
    assert times_of(folder.parent) == written


@pytest.mark.slow
def test_two_equal_builds_that_are_different_programs_do_not_differ(
    tmp_path: Path, engine: Engine
) -> None:
    program = shutil.which("gnubg") or shutil.which("gnubg", path=GAMES)
    if not program:
        pytest.skip("there is no gnubg program here")
    build = tmp_path / "build" / "gnubg"
    build.parent.mkdir()
    shutil.copy(program, build)
    with build.open("ab") as end:
        end.write(b"another build")
    sides = f"expert@{build},expert@{program}"
    out, status = decide(tmp_path, "--levels", sides, "--name", "equal")
    assert status == 2
    assert "expert@gnubg-1 is not 200 points stronger than expert@gnubg-2" in out
    folder = folder_of(tmp_path, engine, "equal")
    both = read_provenance(folder / "decision.csv")["sides"]
    assert both["expert@gnubg-1"]["files"] != both["expert@gnubg-2"]["files"]
    assert both["expert@gnubg-1"]["checksums"] == both["expert@gnubg-2"]["checksums"]


@pytest.mark.slow
def test_matches_of_a_program_whose_files_were_changed_are_not_used(
    engine: Engine, tmp_path: Path
) -> None:
    """What the program reads from its folder counts; with --file only what is named does."""
    copy, net = tmp_path / "engine" / UBGI.name, tmp_path / "engine" / "net.bin"
    net.parent.mkdir()
    shutil.copy(UBGI.with_name("spec_engine.py"), net.parent)
    scripts = repr(str(Path(__file__).parents[4] / "scripts"))
    copy.write_text(UBGI.read_text().replace('str(Path(__file__).parents[3] / "scripts")', scripts))
    sides = f"ubgi:{sys.executable} {copy},{PROGRAM}"
    folder = tmp_path / engine.known.version / "decide" / "any"
    of_file, found = ("--file", f"1:{copy}"), []
    for content, more in (
        (b"net", ()),
        (b"net", ()),
        (b"another net", ()),
        (b"another net", of_file),
        (b"a third net", of_file),
        (b"a third net", ("--option", "1:engine.ply=2")),
    ):
        net.write_bytes(content)
        decide(tmp_path, "--levels", sides, "--name", "any", "--most", "40", *more)
        found.append(len(list(folder.glob("*/shards"))))
    assert found == [1, 1, 2, 3, 3, 4]


@pytest.mark.slow
def test_a_program_that_fails_makes_the_verdict_invalid_and_the_run_ends_with_its_table(
    tmp_path: Path,
) -> None:
    words = ("--levels", f"{PROGRAM} illegal,{PROGRAM}", "--name", "bad")
    out, status = decide(tmp_path, *words)
    assert status == 4
    for sentence in (
        "invalid, since too many matches were forfeited",
        "forfeited 3 (3 illegal)",
        "24/1 24/1, which the rules forbid",
        "  < bestmove 24/1 24/1",
    ):
        assert sentence in out
    assert decide(tmp_path, *words) == (out, status)


@pytest.mark.slow
@pytest.mark.parametrize("victim", ["run", UBGI.name, "embedded.py"])
def test_a_run_of_which_something_was_killed_goes_on_with_the_next_match(
    tmp_path: Path, engine: Engine, finished_run: tuple[Path, str, int], victim: str
) -> None:
    folder = tmp_path / engine.known.version / "decide" / "any"
    run = started(tmp_path, *AGAINST)
    children = at_work(run, folder, "*.part")  # each program waits before its second match
    if victim == "run":
        run.kill()
    else:
        next(process for process in children if victim in command_of(process)).kill()
    (tmp_path / "goes_on").touch()
    run.communicate(timeout=600)
    if victim == "run":
        assert list(folder.rglob("*.part"))
    else:  # no fault of the side: it must not lose a match by it, and the run goes on
        assert run.returncode == finished_run[2]
    assert psutil.wait_procs(children, timeout=600)[1] == []
    out, status = decide(tmp_path, *AGAINST)
    out, again = re.subn(r".*SIGKILL.*; the match was played again.*\n", "", out)
    assert again == (victim != "run")
    out = out.replace(str(tmp_path), str(finished_run[0]))
    timeless = partial(re.sub, r"[\d.]+ ms a decision", "")
    assert (timeless(out), status) == (timeless(finished_run[1]), finished_run[2])
    undisturbed, resumed = (
        sorted(place.rglob("00[01].zip")) for place in (finished_run[0], tmp_path)
    )
    assert [path.read_bytes() for path in undisturbed] == [path.read_bytes() for path in resumed]
    assert list(folder.rglob("00[01].*.part")) == []
