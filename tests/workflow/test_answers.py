"""`--json` keeps to its schema; results.sqlite, the notebook, completion, `rate --watch`."""

import json
import signal
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import jsonschema
import pandas as pd
import pytest

from bgrating.command import COMMANDS
from bgrating.engine.locate import Engine
from commands import Done, begun, of_user, run
from corpus import cases
from short_match import match

COMMAND = [sys.executable, "-m", "bgrating"]
CLUB = "date,winner,loser,length\n2026-01-02,Ann,Bob,7\n2026-01-03,Bob,Cy,7\n2026-01-04,Ann,Cy,5\n"


@pytest.fixture(scope="module")
def schemas(project: Path) -> dict[str, Any]:
    path = project / "docs/reference/answers.schema.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def validated(line: str, schemas: dict[str, Any], name: str) -> dict[str, Any]:
    """Return a line of JSON that keeps to its schema."""
    found: dict[str, Any] = json.loads(line)
    jsonschema.validate(found, {"$schema": schemas["$schema"], **schemas["$defs"][name]})
    return found


@pytest.fixture(name="rated", scope="module")
def _rated(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Done]:
    folder = tmp_path_factory.mktemp("rated")
    (folder / "matches").mkdir()
    for dice in ("41", "43", "21"):
        (folder / "matches" / f"{dice}.mat").write_text(match("Ann", "Bob", dice))
    words = ["rate", "matches", "--results", "results", "--name", "examples", "--json", "--sqlite"]
    return folder, run([*COMMAND, *words], cwd=folder, env=of_user(folder))


def test_the_schema_has_every_command_and_describes_every_key(schemas: dict[str, Any]) -> None:
    assert set(schemas["$defs"]) == {*COMMANDS, "progress"}
    for about in schemas["$defs"].values():
        assert all("description" in one for one in about.get("properties", {}).values())


def test_rate_answers_with_json(schemas: dict[str, Any], rated: tuple[Path, Done]) -> None:
    folder, done = rated
    assert done.returncode == 0
    answer = [validated(line, schemas, "rate") for line in done.stdout.splitlines()][-1]
    assert {row["player"] for row in answer["players"]} == {"Ann", "Bob"}
    assert answer["files"] == {"analysed": 3}
    assert all((folder / path).is_file() for path in answer["pages"])
    assert any("what" in validated(line, schemas, "progress") for line in done.stderr.splitlines())


@pytest.mark.parametrize(("name", "words"), cases("values.answers_in_json"))
def test_the_other_commands_answer_with_json(
    schemas: dict[str, Any], rated: tuple[Path, Done], name: str, words: list[str]
) -> None:
    folder, _ = rated
    (folder / "club.csv").write_text(CLUB)
    done = run([*COMMAND, name, *words, "--json"], cwd=folder, env=of_user(folder))
    assert done.returncode == {"check": 2}.get(name, 0), done.stderr
    (line,) = done.stdout.splitlines()
    answer = validated(line, schemas, name)
    if name == "ratings":
        for table, shown in answer["tables"].items():
            written = pd.read_csv(folder / f"results/ratings/club/{table}.csv")
            assert [row["player"] for row in shown] == written["player"].tolist()
        elo = pd.read_csv(folder / "results/ratings/club/elo.csv")
        assert answer["tables"]["elo"][0]["rating"] == pytest.approx(elo["rating"][0])


def test_the_database_has_what_the_tables_have(rated: tuple[Path, Done]) -> None:
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
        plan = base.execute("EXPLAIN QUERY PLAN SELECT * FROM decisions WHERE player = 'Ann'")
        assert "USING INDEX" in str(plan.fetchall())


def test_the_notebook_runs(
    project: Path,
    engine: Engine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """As it stands, in a folder beside the examples."""
    (tmp_path / "examples").mkdir()
    for dice in ("41", "43", "21"):
        (tmp_path / "examples" / f"{dice}.mat").write_text(match("Ann", "Bob", dice))
    (tmp_path / "docs").mkdir()
    monkeypatch.chdir(tmp_path / "docs")
    held: dict[str, Any] = {}
    for cell in json.loads((project / "docs/players.ipynb").read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), held)
    assert "Ann" in capsys.readouterr().out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_commands_and_options(tmp_path: Path, shell: str) -> None:
    script = run(COMMAND, env=of_user(tmp_path, _BGRATING_COMPLETE=f"{shell}_source")).stdout
    assert "_BGRATING_COMPLETE" in script
    for typed, wanted in (("bgrating rat", "ratings"), ("bgrating rate --le", "--level")):
        words = typed.split()
        place = words[-1] if shell == "fish" else str(len(words) - 1)
        asked = {"COMP_WORDS": typed, "COMP_CWORD": place}
        asked = of_user(tmp_path, _BGRATING_COMPLETE=f"{shell}_complete", **asked)
        assert wanted in run(COMMAND, env=asked).stdout


@pytest.mark.slow
def test_rate_watches_a_folder(tmp_path: Path) -> None:
    (tmp_path / "matches").mkdir()
    (tmp_path / "matches/a.mat").write_text(match())
    words = ["rate", "matches", "--watch", "--json", "--check", "none"]
    with begun(
        *words, "--results", "matches/results", cwd=tmp_path, env=of_user(tmp_path)
    ) as process:
        assert process.stdout is not None
        assert "ann" in process.stdout.readline()
        (tmp_path / "matches/b.mat").write_text(match("cy", "dora", dice="43"))
        assert "dora" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(600) == 130
