"""`--json` of every command keeps to its schema; results.sqlite, the example notebook, completion, `rate --watch`."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import jsonschema
import pandas as pd
import pytest

from bgrating.command import COMMANDS
from short_match import match

CLUB = "date,winner,loser,length\n2026-01-02,Ann,Bob,7\n2026-01-03,Bob,Cy,7\n2026-01-04,Ann,Cy,5\n"


def schema(project: Path, name: str) -> dict[str, Any]:
    whole = json.loads((project / "docs/reference/answers.schema.json").read_text(encoding="utf-8"))
    return {"$schema": whole["$schema"], **whole["$defs"][name]}


def command(project: Path, folder: Path) -> tuple[list[str], dict[str, str]]:
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONPATH": str(project / "scripts")}
    environment |= {"BGRATING_STORE": str(folder / "store.sqlite"), "BROWSER": "true"}
    return [sys.executable, "-m", "bgrating"], environment


def run(project: Path, folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    start, environment = command(project, folder)
    return subprocess.run([*start, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(name="rated", scope="module")
def _rated(project: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, "subprocess.CompletedProcess[str]"]:
    folder = tmp_path_factory.mktemp("rated")
    (folder / "matches").mkdir()
    for number, dice in enumerate(("41", "43", "21")):
        (folder / "matches" / f"{number}.mat").write_text(match("Ann", "Bob", dice))
    words = ("--results", "results", "--name", "examples", "--json", "--sqlite")
    return folder, run(project, folder, "rate", "matches", *words)


def test_the_schema_has_every_command_and_describes_every_key(project: Path) -> None:
    whole = json.loads((project / "docs/reference/answers.schema.json").read_text(encoding="utf-8"))
    assert set(whole["$defs"]) == {*COMMANDS, "progress"}
    for about in whole["$defs"].values():
        assert all("description" in one for one in about.get("properties", {}).values())


def test_rate_answers_with_json(project: Path, rated: tuple[Path, "subprocess.CompletedProcess[str]"]) -> None:
    folder, done = rated
    assert done.returncode == 0
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    for line in lines:
        jsonschema.validate(line, schema(project, "rate"))
    assert {row["player"] for row in lines[-1]["players"]} == {"Ann", "Bob"}
    assert lines[-1]["files"] == {"analysed": 3}
    assert all((folder / path).is_file() for path in lines[-1]["pages"])
    told = [json.loads(line) for line in done.stderr.splitlines()]
    assert any("what" in line for line in told)
    for line in told:
        jsonschema.validate(line, schema(project, "progress"))


def test_the_other_commands_answer_with_json(
    project: Path, rated: tuple[Path, "subprocess.CompletedProcess[str]"]
) -> None:
    folder, _ = rated
    (folder / "club.csv").write_text(CLUB)
    calls = {
        "ratings": ["club.csv", "--results", "results"],
        "calc": ["--pr", "6", "--against-pr", "4", "--matches", "5"],
        "open": ["--results", "results"],
        "cache": [],
        "check": ["cat"],
    }
    for name, words in calls.items():
        done = run(project, folder, name, *words, "--json")
        (line,) = done.stdout.splitlines()
        jsonschema.validate(json.loads(line), schema(project, name))
        assert done.returncode == {"check": 2}.get(name, 0), (name, done.stderr)
        if name == "ratings":
            elo, league = (pd.read_csv(folder / f"results/ratings/club/{table}.csv") for table in ("elo", "league"))
            tables = json.loads(line)["tables"]
            assert [row["player"] for row in tables["league"]] == league["player"].tolist()
            assert tables["elo"][0]["rating"] == pytest.approx(elo["rating"][0])


def test_the_database_has_what_the_tables_have(rated: tuple[Path, "subprocess.CompletedProcess[str]"]) -> None:
    folder = rated[0] / "results/human/examples"
    with closing(sqlite3.connect(folder / "results.sqlite")) as base:
        for name in ("players", "matches", "files"):
            written = pd.read_csv(folder / f"{name}.csv")
            found = pd.read_sql_query(f"SELECT * FROM {name}", base)
            assert list(found) == list(written)
            assert len(found) == len(written)
            for column in written.select_dtypes("number"):
                values = pd.to_numeric(found[column].replace("", None)).astype(float).tolist()
                assert values == pytest.approx(written[column].tolist(), nan_ok=True)
        count = len(pd.read_parquet(folder / "decisions.parquet"))
        assert base.execute("SELECT count(*) FROM decisions").fetchone() == (count,)
        plan = base.execute("EXPLAIN QUERY PLAN SELECT * FROM decisions WHERE player = 'Ann'").fetchall()
        assert "USING INDEX" in str(plan)


def test_the_notebook_runs(
    project: Path,
    rated: tuple[Path, "subprocess.CompletedProcess[str]"],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(rated[0])
    held: dict[str, Any] = {}
    cells = json.loads((project / "docs/players.ipynb").read_text(encoding="utf-8"))["cells"]
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), held)
    assert "Ann" in capsys.readouterr().out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_commands_and_options(project: Path, tmp_path: Path, shell: str) -> None:
    start, environment = command(project, tmp_path)
    asked = {"_BGRATING_COMPLETE": f"{shell}_source"}
    script = subprocess.run(start, env=environment | asked, capture_output=True, text=True, check=False).stdout
    assert "_BGRATING_COMPLETE" in script
    for typed, wanted in (("bgrating rat", "ratings"), ("bgrating rate --le", "--level")):
        words = typed.split()
        about = {"COMP_WORDS": typed, "COMP_CWORD": words[-1] if shell == "fish" else str(len(words) - 1)}
        asked = {"_BGRATING_COMPLETE": f"{shell}_complete", **about}
        done = subprocess.run(start, env=environment | asked, capture_output=True, text=True, check=False)
        assert wanted in done.stdout, done


@pytest.mark.slow
def test_rate_watches_a_folder(project: Path, tmp_path: Path) -> None:
    (tmp_path / "matches").mkdir()
    (tmp_path / "matches/a.mat").write_text(match())
    start, environment = command(project, tmp_path)
    words = [*start, "rate", "matches", "--watch", "--results", "matches/results", "--check", "none", "--json"]
    with subprocess.Popen(words, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert "ann" in process.stdout.readline()
        time.sleep(3)
        (tmp_path / "matches/b.mat").write_text(match("cy", "dora", dice="43"))
        assert "dora" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
