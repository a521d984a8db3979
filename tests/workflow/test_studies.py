"""A whole study through Snakemake with the real engine: complete, repeatable, never done twice, and wrong settings."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from bgrating.engine.errors import EngineError
from bgrating.engine.locate import Engine, nets_of_run
from bgrating.tables.provenance import verified

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
    folder = smoke / "smoke" / "shards" / "3" / "intermediate+noise-0.4~expert"
    table, archive = folder / "000.csv", folder / "000.zip"
    kept = table.read_bytes(), archive.read_bytes()
    table.unlink()
    archive.unlink()
    replayed = snakemake(str(table), "--config", f"results={smoke.parent}")
    assert replayed.returncode == 0, replayed.stdout
    assert (table.read_bytes(), archive.read_bytes()) == kept


def test_what_was_half_written_does_not_count(snakemake: Run, smoke: Path) -> None:
    shard = smoke / "smoke" / "shards" / "3" / "advanced+noise-0.1~expert" / "000.zip"
    kept = shard.read_bytes()
    shard.unlink()
    part = shard.with_name("000.zip.part")
    part.write_bytes(kept[:100])
    planned = snakemake("-n", str(shard), "--config", f"results={smoke.parent}")
    assert jobs(planned) == {"shard": 1}
    assert snakemake(str(shard), "--config", f"results={smoke.parent}").returncode == 0
    assert shard.read_bytes() == kept


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


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("part=part3", "no study 'part3' in config/designs; there are: appendix2, appendix2-1-ply, "),
        ("enigne=x", "(config/config.yaml, --config): unknown enigne; allowed: aliases, analysis,"),
    ],
)
def test_wrong_settings_are_one_error_before_anything_is_played(snakemake: Run, settings: str, message: str) -> None:
    wrong = snakemake("-n", "study", "--config", settings)
    assert wrong.returncode != 0
    assert message in wrong.stdout
    assert "Traceback" not in wrong.stdout


@pytest.mark.parametrize(
    ("engine", "message"),
    [
        ("/no/such/gnubg", "engine=/no/such/gnubg: no such program, and none of the known engines: GNU"),
        ("/bin/true", "/bin/true reports 'true (GNU coreutils) "),
    ],
)
def test_an_engine_that_is_absent_or_unknown_is_refused_before_the_workflow_is_read(engine: str, message: str) -> None:
    with pytest.raises(EngineError, match=re.escape(message)):
        nets_of_run({"engine": engine, "nets": ""})


def test_an_engine_of_other_nets_is_one_clear_error(snakemake: Run, tmp_path: Path) -> None:
    settings, message = ("engine=embedded-1.08", "nets=1.07.001"), "engine=embedded-1.08: "
    wrong = snakemake("smoke", "--config", f"results={tmp_path}", *settings)
    assert wrong.returncode != 0
    assert wrong.stdout.count(message) == 1, wrong.stdout
    assert "Traceback" not in wrong.stdout
    assert not list(tmp_path.rglob("*.csv"))


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
