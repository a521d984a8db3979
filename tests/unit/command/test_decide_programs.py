"""`bgrating decide` between programs: refereed matches, judged by one engine; it goes on from what was played."""

import os
import re
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pandas as pd
import psutil
import pytest
from click.testing import CliRunner

from bgrating.command.decide import command
from bgrating.engine.locate import GAMES, Engine
from bgrating.matchtext import read_matches
from bgrating.tables.provenance import read_provenance

UBGI = Path(__file__).parents[1] / "referee" / "ubgi_engine.py"
PROGRAM = f"ubgi:{sys.executable} {UBGI}"


WORDS = ("--match-length", "1", "--most", "400", "--better", "200", "--concurrency", "2")


def decide(*words: str) -> tuple[str, int]:
    done = CliRunner().invoke(command, [*words, *WORDS], standalone_mode=False, catch_exceptions=False)
    return done.stdout, done.return_value


def timeless(text: str) -> str:
    return re.sub(r"[\d.]+ ms a decision", "ms a decision", text)


def folder_of(place: Path, engine: Engine, name: str = "any") -> Path:
    (table,) = (place / engine.known.nets / "decide" / name).rglob("decision.csv")
    return table.parent


@pytest.fixture(scope="module")
def finished_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, int]:
    """Return the results' folder of a level against a program, what the run told, and its exit status."""
    place = tmp_path_factory.mktemp("finished_run")
    return place, *decide("--levels", f"expert,{PROGRAM}", "--results", str(place), "--name", "any")


@pytest.mark.slow
def test_a_program_meets_a_level_and_the_archive_is_a_collection(
    engine: Engine, finished_run: tuple[Path, str, int]
) -> None:
    place, out, status = finished_run
    assert status == 0
    assert "expert is stronger than ubgi-engine.py" in out
    folder = folder_of(place, engine)
    table = pd.read_csv(folder / "decision.csv")
    assert table["matches"].tolist() == [40]
    assert "forfeited" not in out
    assert read_provenance(folder / "decision.csv")["sides"]["expert"]["version"].startswith("GNU Backgammon")
    shards = folder.parent / "shards"
    archives = sorted(shards.rglob("00[01].zip"))
    assert len(archives) == 4
    with zipfile.ZipFile(archives[0]) as archive:
        texts = [read_matches(archive.read(name)).matches[0] for name in archive.namelist()]
    assert len(texts) == 10
    assert all(match.complete and not match.findings for match in texts)
    written = {path: path.stat().st_mtime_ns for path in shards.rglob("*") if path.is_file()}
    again = decide("--levels", f"expert,{PROGRAM}", "--results", str(place), "--name", "any")
    assert again == (out, status)
    assert {path: path.stat().st_mtime_ns for path in written} == written


@pytest.mark.slow
def test_two_equal_builds_that_are_different_programs_do_not_differ(tmp_path: Path, engine: Engine) -> None:
    program = shutil.which("gnubg") or shutil.which("gnubg", path=GAMES)
    if not program:
        pytest.skip("there is no gnubg program here")
    build = tmp_path / "build" / "gnubg"
    build.parent.mkdir()
    shutil.copy(program, build)
    with build.open("ab") as end:
        end.write(b"another build")
    sides = f"expert@{build},expert@{program}"
    out, status = decide("--levels", sides, "--results", str(tmp_path), "--name", "equal")
    assert status == 2
    assert "expert@gnubg-1 is not 200 points stronger than expert@gnubg-2" in out
    folder = folder_of(tmp_path, engine, "equal")
    both = read_provenance(folder / "decision.csv")["sides"]
    assert both["expert@gnubg-1"]["files"] != both["expert@gnubg-2"]["files"]
    assert both["expert@gnubg-1"]["checksums"] == both["expert@gnubg-2"]["checksums"]


@pytest.mark.slow
def test_matches_of_a_program_whose_files_were_changed_are_not_used(engine: Engine, tmp_path: Path) -> None:
    """What the program reads from its folder counts; with --file only what is named does."""
    copy, net = tmp_path / "engine" / UBGI.name, tmp_path / "engine" / "net.bin"
    net.parent.mkdir()
    scripts = str(Path(__file__).parents[3] / "scripts")
    copy.write_text(UBGI.read_text().replace('str(Path(__file__).parents[3] / "scripts")', repr(scripts)))
    net.write_bytes(b"net")
    words = (
        "--levels",
        f"ubgi:{sys.executable} {copy},{PROGRAM}",
        "--results",
        str(tmp_path),
        "--name",
        "any",
        "--most",
        "40",
    )

    def played(*more: str) -> int:
        CliRunner().invoke(
            command, [*words, *more, "--match-length", "1"], standalone_mode=False, catch_exceptions=False
        )
        return len(list((tmp_path / engine.known.nets / "decide" / "any").glob("*/shards")))

    assert played() == 1
    assert played() == 1
    net.write_bytes(b"another net")
    assert played() == 2
    assert played("--file", f"1:{copy}") == 3
    net.write_bytes(b"a third net")
    assert played("--file", f"1:{copy}") == 3
    assert played("--option", "1:engine.ply=2") == 4


@pytest.mark.slow
def test_a_program_that_fails_makes_the_verdict_invalid_and_the_run_ends_with_its_table(
    tmp_path: Path, engine: Engine
) -> None:
    out, status = decide("--levels", f"{PROGRAM} illegal,{PROGRAM}", "--results", str(tmp_path), "--name", "bad")
    assert status == 4
    assert "invalid, since too many matches were forfeited" in out
    assert "forfeited 3 (3 illegal)" in out
    assert "24/1 24/1, which the rules forbid" in out
    folder = folder_of(tmp_path, engine, "bad")
    logs = [path.read_text() for path in (folder.parent / "logs").glob("ubgi-engine.py-illegal.*.log")]
    assert any(text.count("forfeited (illegal)") == 3 for text in logs)
    assert any("< bestmove 24/1 24/1" in text for text in logs)
    again = decide("--levels", f"{PROGRAM} illegal,{PROGRAM}", "--results", str(tmp_path), "--name", "bad")
    assert again == (out, status)


@pytest.mark.slow
@pytest.mark.parametrize("victim", ["run", UBGI.name, "embedded.py"])
def test_a_run_of_which_something_was_killed_goes_on_with_the_next_match(
    tmp_path: Path, engine: Engine, finished_run: tuple[Path, str, int], victim: str
) -> None:
    words = ["--levels", f"expert,{PROGRAM}", "--results", str(tmp_path), "--name", "any"]
    scripts = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3] / "scripts")}
    run = subprocess.Popen(
        [sys.executable, "-m", "bgrating", "decide", *words, *WORDS],
        env=scripts,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    folder = tmp_path / engine.known.nets / "decide" / "any"
    deadline = time.monotonic() + 60
    while len(list(folder.rglob("*.part/*.mat"))) < 5 and time.monotonic() < deadline:
        time.sleep(0.01)
    children = psutil.Process(run.pid).children(recursive=True)
    if victim == "run":
        run.kill()
    else:
        next(process for process in children if victim in " ".join(process.cmdline())).kill()
    run.communicate(timeout=200)
    if victim == "run":
        assert list(folder.rglob("*.part/*.mat"))
    else:  # no fault of the side: it must not lose a match by it, and the run goes on
        assert run.returncode == finished_run[2]
    assert psutil.wait_procs(children, timeout=60)[1] == []
    out, status = decide(*words)
    again = [
        line for line in out.splitlines(keepends=True) if "SIGKILL" in line and "; the match was played again" in line
    ]
    assert len(again) == (victim != "run")
    out = out.replace("".join(again), "").replace(str(tmp_path), str(finished_run[0]))
    assert (timeless(out), status) == (timeless(finished_run[1]), finished_run[2])
    undisturbed, resumed = (sorted(place.rglob("00[01].zip")) for place in (finished_run[0], tmp_path))
    assert [path.read_bytes() for path in undisturbed] == [path.read_bytes() for path in resumed]
    assert list(folder.rglob("00[01].*.part")) == []
