"""A whole study through Snakemake with the real engine: complete, repeatable, never done twice; faults and settings.

What is killed or cannot write ends with the same bytes when it is started again.
"""

import errno
import os
import random
import runpy
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from snakemake.iocontainers import OutputFiles

from bgrating.engine.locate import Engine
from bgrating.play.designs import design, shard_table
from bgrating.settings import load_yaml
from bgrating.tables.provenance import verified
from fuzz import kills
from fuzz.kills import STEPS, FaultError, compared, killed_study

Run = Callable[..., subprocess.CompletedProcess[str]]


def test_the_study_makes_every_table_with_its_provenance(smoke: Path) -> None:
    tables = ["matches.parquet", "points.csv", "coefficients.csv"]
    for name in [*tables, "formula.json"]:
        facts = verified(smoke / "smoke" / name)
        assert facts["engine"]["version"].startswith("GNU Backgammon")
        assert facts["engine"]["checksums"]["gnubg.wd"]
        assert facts["study_seed"] == 1
    assert len(pd.read_parquet(smoke / "smoke" / "matches.parquet")) == 80
    assert (smoke / "smoke" / "report.html").stat().st_size > 10_000


def test_the_quick_study_is_what_is_done_when_nothing_is_asked_for(snakemake: Run, tmp_path: Path) -> None:
    planned = jobs(snakemake("-n", "--config", f"results={tmp_path}"))
    assert planned["shard"] == 48  # sixteen cells at three match lengths
    assert planned["quick"] == 1


def test_a_study_that_is_played_and_a_target_from_frozen_tables_go_together(snakemake: Run, tmp_path: Path) -> None:
    planned = jobs(snakemake("-n", "smoke", "comparison", "--config", f"results={tmp_path}"))
    assert (planned["shard"], planned["matches"], planned["compare"]) == (8, 1, 1)
    none = snakemake("-n", "plan", "--config", f"results={tmp_path}", "halfwidth=15")
    assert f"no frozen matches of part2 in {tmp_path}" in none.stdout
    both = snakemake("-n", "study", "comparison", "--config", f"results={tmp_path}", "part=check-zadeh")
    assert jobs(both)["compare"] == 1


def test_matches_come_from_frozen_tables_whatever_is_asked_for(snakemake: Run, project: Path, tmp_path: Path) -> None:
    study = tmp_path / "1.07.001" / "check-zadeh"
    shutil.copytree(project / "results" / "1.07.001" / "check-zadeh" / "frozen", study / "frozen")
    settings = ["--config", f"results={tmp_path}", "nets=1.07.001", "part=check-zadeh"]
    for asked in ([str(study / "points.csv")], ["analysis"], ["study", "analysis", str(study / "points.csv")]):
        planned = jobs(snakemake("-n", *asked, *settings))
        assert (planned["matches"], planned["fit"], planned.get("shard")) == (1, 1, None), asked
    other = snakemake(str(study / "points.csv"), *settings, "seed=5")
    assert "holds matches of the seed" in other.stdout


def test_a_second_run_does_nothing_again(snakemake: Run, smoke: Path) -> None:
    again = snakemake("-n", "smoke", "--config", f"results={smoke.parent}")
    assert again.returncode == 0, again.stdout
    assert jobs(again) == {"smoke": 1}


def test_a_lost_shard_is_replayed_alone_and_exactly(snakemake: Run, smoke: Path) -> None:
    """What was half written when a run ended does not count."""
    folder = smoke / "smoke" / "shards" / "3" / "intermediate+noise-0.4~expert"
    table, archive = folder / "000.csv", folder / "000.zip"
    kept = table.read_bytes(), archive.read_bytes()
    table.unlink()
    archive.unlink()
    archive.with_name("000.zip.part").write_bytes(kept[1][:100])
    settings = ["--config", f"results={smoke.parent}"]
    assert jobs(snakemake("-n", str(table), *settings)) == {"shard": 1}
    replayed = snakemake(str(table), *settings)
    assert replayed.returncode == 0, replayed.stdout
    assert (table.read_bytes(), archive.read_bytes()) == kept


def test_a_failing_engine_loses_its_shard_only(snakemake: Run, tmp_path: Path, old_engine: Engine) -> None:
    """The wrapper ends the engine by a signal when it comes to one shard; the real engine plays the others."""
    engine = tmp_path / "gnubg"
    engine.write_text(
        "#!/bin/sh\n"
        'grep -qs "evaluation noise 0.015" "$BGRATING_JOB" && [ ! -e "$0.mended" ] && kill -SEGV $$\n'
        f'exec {old_engine.program} "$@"\n'
    )
    engine.chmod(0o755)
    results = tmp_path / "results"
    folder = results / old_engine.known.nets / "smoke" / "shards" / "3"
    shards = [str(folder / f"{player}+noise-0.1~expert" / "000.zip") for player in ("advanced", "intermediate")]
    settings = ["--config", f"results={results}", f"engine={engine}"]
    failed = snakemake(*shards, *settings)
    assert failed.returncode != 0
    assert "crashed (SIGSEGV)" in failed.stdout
    assert [Path(shard).exists() for shard in shards] == [False, True]
    (tmp_path / "gnubg.mended").touch()
    assert jobs(snakemake("-n", *shards, *settings)) == {"shard": 1}
    assert snakemake(*shards, *settings).returncode == 0


def test_wrong_settings_are_one_error_before_anything_is_played(snakemake: Run) -> None:
    wrong = snakemake("-n", "study", "--config", "enigne=x")
    assert wrong.returncode != 0
    assert "(config/config.yaml, --config): unknown enigne; allowed: aliases, analysis," in wrong.stdout
    assert "Traceback" not in wrong.stdout


def test_an_engine_of_other_nets_is_one_clear_error(snakemake: Run, tmp_path: Path) -> None:
    settings, message = ("engine=embedded-1.08", "nets=1.07.001"), "engine=embedded-1.08: "
    wrong = snakemake("smoke", "--config", f"results={tmp_path}", *settings)
    assert wrong.returncode != 0
    assert wrong.stdout.count(message) == 1, wrong.stdout
    assert "Traceback" not in wrong.stdout
    assert not list(tmp_path.rglob("*.csv"))


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


def jobs(planned: subprocess.CompletedProcess[str]) -> dict[str, int]:
    """Return the number of jobs of each rule that a dry run plans."""
    lines = planned.stdout.splitlines()
    first = next((number for number, line in enumerate(lines) if line.startswith("---")), len(lines))
    counts = {}
    for line in lines[first + 1 :]:
        words = line.split()
        if len(words) != 2 or words[0] == "total":
            break
        counts[words[0]] = int(words[1])
    return counts
