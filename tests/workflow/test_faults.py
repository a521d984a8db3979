"""What is killed or cannot write ends with the same bytes when it is started again."""

import errno
import os
import random
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest
from snakemake.iocontainers import OutputFiles

from bgrating.play.designs import design, shard_table
from bgrating.settings import load_yaml
from bgrating.tables.provenance import verified
from fuzz import kills
from fuzz.kills import STEPS, FaultError, compared, killed_study


@pytest.mark.nightly
def test_a_study_that_is_killed_during_each_step_ends_with_the_same_bytes(
    project: Path, smoke: Path, tmp_path: Path
) -> None:
    results = tmp_path / "results"
    with (tmp_path / "log").open("ab") as log:
        count = killed_study(project, results, 99, random.Random(1), log, most=1)
        assert {name.partition("_")[0] for name in count} == set(STEPS), (tmp_path / "log").read_text()
        tables, different = compared(smoke.parent, results)
        assert tables >= 20
        assert different == []
        # As after a fit that was killed when there was a report already.
        study = results / smoke.name / "smoke"
        for table in ("points.csv", "coefficients.csv", "formula.json"):
            (study / table).unlink()
        assert compared(smoke.parent, results)[1] == [f"{smoke.name}/smoke/{name}" for name in (
            "coefficients.csv", "formula.json", "points.csv")]  # fmt: skip
        assert killed_study(project, results, 0, random.Random(1), log).total() == 0
    assert compared(smoke.parent, results) == (tables, [])


def test_a_run_that_fails_by_itself_ends_the_kills(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kills.sys, "executable", "/bin/false")
    with (tmp_path / "log").open("ab") as log, pytest.raises(FaultError, match="nothing was killed of has failed"):
        killed_study(project, tmp_path / "results", 5, random.Random(1), log)


def script(project: Path, step: str, smoke: Path, folder: Path) -> list[Path]:
    """Run the script of a step in this process, on what the smallest study has; return the tables that it makes."""
    study, (point, *_) = design("smoke"), design("smoke").points
    tables = [shard_table(smoke, "smoke", one, 0) for length in (3, 5) for one in study.points_of(length)]
    made = {
        "shard": {"archive": folder / "000.zip", "table": folder / "000.csv"},
        "matches": {"table": folder / "matches.parquet"},
        "fit": {
            "points": folder / "points.csv",
            "coefficients": folder / "coefficients.csv",
            "formula": folder / "formula.json",
        },
    }[step]
    given = SimpleNamespace(
        log=[str(folder / "log")],
        config=load_yaml(project / "config" / "config.yaml") | {"nets": smoke.name},
        wildcards=SimpleNamespace(
            study="smoke", player=point.player, opponent=point.opponent, match_length="3", shard="0"
        ),
        input=SimpleNamespace(tables=tables, matches=smoke / "smoke" / "matches.parquet"),
        output=OutputFiles(fromdict=made | {"provenance": folder / "step.provenance.json"}),
        params=SimpleNamespace(seed=study.seed, bootstrap=0),
        resources=SimpleNamespace(matches=1),
    )
    runpy.run_path(str(project / "scripts" / f"{step}.py"), {"snakemake": given})
    return list(made.values())


@pytest.mark.parametrize(("step", "writes"), [("shard", 4), ("matches", 2), ("fit", 4)])
def test_whichever_write_fails_nothing_half_written_is_used(
    project: Path, smoke: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, writes: int
) -> None:
    folder, whole = tmp_path / "failing", tmp_path / "whole"
    for one in (folder, whole):
        one.mkdir()
    undisturbed = script(project, step, smoke, whole)
    rename, left = Path.replace, 0

    def failing(part: Path, name: Path) -> Path:
        nonlocal left
        if part.suffix != ".part":  # a file moved between temporary folders is no output
            return rename(part, name)
        left -= 1
        if left == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return rename(part, name)

    monkeypatch.setattr(Path, "replace", failing)
    for failed in range(1, writes + 1):
        left = failed
        with pytest.raises(SystemExit):
            script(project, step, smoke, folder)
        last = (folder / "log").read_text().splitlines()[-1]
        assert last.startswith("error: [Errno 28] No space left on device")
        assert "run again" in last
        assert list(folder.rglob("*.part")) == []
    made = script(project, step, smoke, folder)
    assert left == -writes, "the step writes other files than this test thinks"
    for table, one in zip(made, undisturbed, strict=True):
        verified(table)
        assert table.read_bytes() == one.read_bytes()
