"""`bgrating decide`: it plays with the engine, without Snakemake, and goes on from what was played."""

import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pandas as pd
import psutil
import pytest
from click.testing import CliRunner

import bgrating
from bgrating.command.decide import command
from bgrating.engine.locate import Engine


def decide(words: str) -> str:
    return CliRunner().invoke(command, words.split(), standalone_mode=False, catch_exceptions=False).stdout


@pytest.mark.slow
def test_two_levels_are_told_apart_and_nothing_is_played_twice(engine: Engine, tmp_path: Path) -> None:
    words = f"--levels expert,beginner --match-length 1 --most 100 --better 200 --seed 3 --results {tmp_path}"
    first = decide(words)
    assert "expert is stronger than beginner" in first
    (answer,) = (tmp_path / engine.known.nets / "decide" / "expert~beginner-1-points").rglob("decision.csv")
    assert f"Table: {answer}\n" in first
    table = pd.read_csv(answer)
    assert table["matches"].tolist() == [40]
    assert answer.with_name("decision.csv.provenance.json").is_file()
    played = {path: path.stat().st_mtime_ns for path in answer.parents[1].glob("shards/**/*") if path.is_file()}
    assert len([path for path in played if path.suffix == ".zip"]) >= 4
    answer.unlink()
    assert decide(words) == first
    assert json.loads(decide(f"{words} --json"))["verdict"] == "stronger"
    assert {path: path.stat().st_mtime_ns for path in played} == played
    assert pd.read_csv(answer).equals(table)


def test_a_wrong_level_is_refused_before_anything_slow_is_loaded_and_without_snakemake(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules.update(snakemake=None, pandas=None); from bgrating.command import main;"
        f"main(['decide', '--levels', 'expert,wizard', '--results', {str(tmp_path)!r}])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("bgrating: no player level 'wizard'")


QUICK = "--levels expert,beginner --match-length 1 --most 100 --better 200 --seed 3"


@pytest.fixture(scope="module")
def undisturbed(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("undisturbed")
    decide(f"{QUICK} --results {folder}")
    return left(folder)


def left(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.name == "decision.csv" or re.fullmatch(r"00[01]\.(csv|zip|.*part)", path.name)
    }


def started(folder: Path, *words: str, temporary: Path | None = None, **how: Any) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "bgrating", "decide", *QUICK.split(), *words, "--results", str(folder)],
        env=os.environ | {"PYTHONPATH": str(Path(bgrating.__file__).parents[1]), "TMPDIR": str(temporary or folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        **how,
    )


def engines(of: "subprocess.Popen[str]", folder: Path) -> list[psutil.Process]:
    """Wait until a run has an engine that has begun, and return all it has."""
    until = time.monotonic() + 60
    while not list(folder.rglob("bgrating-*/*.mat")):
        assert time.monotonic() < until
        time.sleep(0.01)
    return psutil.Process(of.pid).children(recursive=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("victim", "sent", "status", "sentence"),
    [
        ("run", signal.SIGKILL, -signal.SIGKILL, ""),
        ("run", signal.SIGTERM, 128 + signal.SIGTERM, "stopped; run the same command again to go on"),
        ("run", signal.SIGINT, 130, "stopped; run the same command again to go on"),
        ("engine", signal.SIGKILL, 1, "was ended from outside (SIGKILL"),
        ("engine", signal.SIGSTOP, 1, "within 9 s"),  # it may stand still before it has begun
    ],
)
def test_a_run_that_is_ended_or_stands_still_leaves_no_engine_and_the_next_goes_on(
    undisturbed: dict[str, bytes], tmp_path: Path, victim: str, sent: signal.Signals, status: int, sentence: str
) -> None:
    with started(tmp_path, *(["--time-limit", "0.15"] if sent == signal.SIGSTOP else [])) as process:
        engine_processes = engines(process, tmp_path)
        {"run": process, "engine": engine_processes[0]}[victim].send_signal(sent)
        out = process.communicate(timeout=60)[0]
    assert process.returncode == status
    assert sentence in out
    assert len(out.strip().splitlines()) == bool(sentence)
    _, alive = psutil.wait_procs(engine_processes, timeout=60)
    assert not alive
    if status != -signal.SIGKILL:
        assert not list(tmp_path.glob("bgrating-*"))
    goes_on(tmp_path, undisturbed)


def goes_on(folder: Path, undisturbed: dict[str, bytes]) -> None:
    decide(f"{QUICK} --results {folder}")
    assert {name: data for name, data in left(folder).items() if not name.startswith("bgrating-")} == undisturbed


@pytest.mark.slow
def test_a_full_disk_is_one_sentence_and_the_next_run_goes_on(undisturbed: dict[str, bytes], tmp_path: Path) -> None:
    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    with started(tmp_path, preexec_fn=limited) as process:
        out = process.communicate(timeout=120)[0]
    assert process.returncode == 1
    assert out.startswith("bgrating: ")
    assert out.count("\n") == 1
    assert "File too large" in out
    assert "set TMPDIR, then run again" in out
    goes_on(tmp_path, undisturbed)
