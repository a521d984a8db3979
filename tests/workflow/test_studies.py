"""A whole study through Snakemake with the real engine: complete, repeatable, never done twice;
faults and settings.

What is killed or cannot write ends with the same bytes when it is started again.
"""

import errno
import json
import os
import random
import re
import shutil
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from planned import jobs

from bgrating import BgratingError
from bgrating.engine.locate import Engine
from bgrating.job_log import reporting
from bgrating.play.match_tables import TableError
from bgrating.settings_files import load_yaml
from bgrating.tables.dictionary import columns
from bgrating.tables.provenance import provenance_path, verified
from commands import Run
from corpus import cases, data_text
from fuzz import kills
from fuzz.kills import STEPS, FaultError, compared, killed_study
from study import pooling, workflow_settings
from study.pooling import gather
from study.workflow_settings import Settings
from wrapped_engine import faulty

ENGINE_VERSION = "1.07.001"


@pytest.fixture(name="frozen")
def _frozen(project: Path, tmp_path: Path) -> Path:
    """Return a folder of results that holds the frozen matches of one study."""
    study = Path(ENGINE_VERSION, "check-zadeh", "frozen")
    shutil.copytree(project / "results" / study, tmp_path / study)
    return tmp_path


def test_the_study_makes_every_table_with_its_provenance(smoke: Path) -> None:
    tables = ["matches.parquet", "points.csv", "coefficients.csv"]
    for name in [*tables, "formula.json"]:
        facts = verified(smoke / "smoke" / name)
        assert facts["engine"]["version"].startswith("GNU Backgammon")
        assert facts["engine"]["checksums"]["gnubg.wd"]
        assert facts["study_seed"] == 1
    assert len(pd.read_parquet(smoke / "smoke" / "matches.parquet")) == 80
    assert (smoke / "smoke" / "report.html").stat().st_size > 10_000


@pytest.mark.parametrize("plan", cases("plans.plan"), ids=lambda plan: plan["about"])
def test_a_plan_has_these_jobs(
    snakemake: Run, request: pytest.FixtureRequest, engine: Engine, plan: dict[str, Any]
) -> None:
    names = {"results": request.getfixturevalue(plan["results"]), "engine": engine.known.name}
    targets, settings = (plan.get(part, "").split() for part in ("targets", "settings"))
    words = [one.format(**names) for one in (*targets, "--config", *settings)]
    done = snakemake("-n", *words)
    assert jobs(done) == plan["jobs"], done.stdout


def test_matches_of_another_seed_are_not_taken_from_frozen_tables(
    snakemake: Run, frozen: Path
) -> None:
    settings = [f"results={frozen}", f"nets={ENGINE_VERSION}", "part=check-zadeh", "seed=5"]
    assert "holds matches of the seed" in snakemake("study", "--config", *settings).stdout


def test_a_damaged_record_of_a_frozen_table_is_one_sentence(snakemake: Run, frozen: Path) -> None:
    record = next(frozen.rglob("*.provenance.json"))
    record.write_text("{}")
    settings = [f"results={frozen}", f"nets={ENGINE_VERSION}", "part=check-zadeh"]
    printed = snakemake("-n", "study", "--config", *settings).stdout
    table = str(record).removesuffix(".provenance.json")
    assert f"the provenance of {table} names no checksum" in printed
    assert "KeyError" not in printed


@pytest.mark.slow
def test_a_lost_shard_is_replayed_alone_and_exactly(snakemake: Run, smoke: Path) -> None:
    """What was half written when a run ended does not count."""
    cell = Path("3", "intermediate+noise-0.4~expert")
    table, archive = (
        smoke / "smoke/analyses" / cell / "000.csv",
        smoke / "smoke/shards" / cell / "000.zip",
    )
    kept = table.read_bytes(), archive.read_bytes()
    table.unlink()
    archive.unlink()
    archive.with_name("000.zip.part").write_bytes(kept[1][:100])
    settings = ["--config", f"results={smoke.parent}"]
    assert jobs(snakemake("-n", str(table), *settings)) == {"play": 1, "analyse": 1}
    replayed = snakemake(str(table), *settings)
    assert replayed.returncode == 0, replayed.stdout
    assert (table.read_bytes(), archive.read_bytes()) == kept


@pytest.mark.slow
def test_a_failing_engine_loses_its_shard_only(
    snakemake: Run, tmp_path: Path, old_engine: Engine
) -> None:
    """The wrapper ends the engine by a signal at one shard; the real one plays the others."""
    engine = tmp_path / "gnubg"
    faulty(
        old_engine,
        engine,
        '[[ $setup != *"evaluation noise 0.015"* || -e $0.mended ]] || kill -SEGV $$',
    )
    results = tmp_path / "results"
    folder = results / old_engine.known.version / "smoke" / "shards" / "3"
    shards = [
        str(folder / f"{one}+noise-0.1~expert/000.zip") for one in ("advanced", "intermediate")
    ]
    settings = ["--config", f"results={results}", f"engine={engine}"]
    settings.append(f"nets={old_engine.known.version}")
    failed = snakemake(*shards, *settings)
    assert failed.returncode != 0
    assert "crashed (SIGSEGV)" in failed.stdout
    assert [Path(shard).exists() for shard in shards] == [False, True]
    (tmp_path / "gnubg.mended").touch()
    assert jobs(snakemake("-n", *shards, *settings)) == {"play": 1}
    assert snakemake(*shards, *settings).returncode == 0


@pytest.fixture
def smallest(smoke: Path) -> Path:
    """Return the folder of results that has the smallest study."""
    return smoke.parent


@pytest.mark.parametrize("place", ["file", "file/results"])
def test_results_that_are_a_file_are_refused(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BgratingError, match=r"results=.* is a file"):
        Settings({"results": str(tmp_path / place)})


def test_results_that_cannot_be_written_end_before_the_first_job(
    snakemake: Run, tmp_path: Path
) -> None:
    """Nobody can make a file in /proc, not even root; a plan needs no file."""
    settings = ["smoke", "--config", "results=/proc/results"]
    assert jobs(snakemake("-n", *settings))["play"] == 8
    refused = snakemake(*settings)
    assert refused.returncode == 1
    problem = "results=/proc/results cannot be written (No such file or directory)"
    assert refused.stdout.endswith(f"error: {problem}: give results= another folder\n")
    assert "Traceback" not in refused.stdout
    assert "rule play" not in refused.stdout


@pytest.mark.parametrize("gone", ["matplotlib", "pyarrow", "statsmodels"])
def test_a_python_without_a_package_is_told_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, gone: str
) -> None:
    monkeypatch.setattr(workflow_settings, "find_spec", lambda name: name != gone)
    with pytest.raises(BgratingError, match=r"has not the packages .*: .*run set-up installs them"):
        Settings({}).require_packages(sys.executable)
    Settings({}).require_packages("/another/python")


def test_an_engine_of_other_nets_is_one_clear_error(snakemake: Run, tmp_path: Path) -> None:
    settings, message = ("engine=embedded-1.08", "nets=1.07.001"), "engine=embedded-1.08: "
    wrong = snakemake("smoke", "--config", f"results={tmp_path}", *settings)
    assert wrong.returncode != 0
    assert wrong.stdout.count(message) == 1, wrong.stdout
    assert "Traceback" not in wrong.stdout
    assert not list(tmp_path.rglob("*.csv"))


@pytest.mark.nightly
def test_a_study_killed_during_each_step_ends_with_the_same_bytes(
    project: Path, smoke: Path, tmp_path: Path
) -> None:
    results = tmp_path / "results"
    with (tmp_path / "log").open("ab") as log:
        count = killed_study(project, results, 99, random.Random(1), log, most=1)
        text = (tmp_path / "log").read_text()
        assert {name.partition("_")[0] for name in count} == set(STEPS), text
        tables, different = compared(smoke.parent, results)
        assert tables >= 20
        assert different == []
        # As after a fit that was killed when there was a report already.
        study = results / smoke.name / "smoke"
        fitted = ["coefficients.csv", "formula.json", "points.csv"]
        for table in fitted:
            (study / table).unlink()
        missing = [f"{smoke.name}/smoke/{name}" for name in fitted]
        assert compared(smoke.parent, results)[1] == missing
        assert killed_study(project, results, 0, random.Random(1), log).total() == 0
    assert compared(smoke.parent, results) == (tables, [])


def test_every_kill_has_its_column() -> None:
    assert {*columns("fuzz/kills")} == {*kills.KILLS, "tables", "different"}


def test_a_run_that_fails_ends_the_kills(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kills.sys, "executable", "/bin/false")
    failed = pytest.raises(FaultError, match="nothing was killed of has failed")
    with (tmp_path / "log").open("ab") as log, failed:
        killed_study(project, tmp_path / "results", 5, random.Random(1), log)


MADE = {
    "analyse_shard": ["000.csv"],
    "join_shards": ["matches.parquet"],
    "fit_study": ["points.csv", "coefficients.csv", "formula.json"],
}
"""The tables that each step of a study makes."""


def step(name: str, smoke: Path, folder: Path) -> list[Path]:
    """Do a step in this process, on the smallest study's files; return its tables."""
    settings = settings_of(smoke, smoke.parent)
    part = next(settings.shards("smoke"))
    cell = ["smoke", str(part.point.match_length), part.point.player, part.point.opponent, "000"]
    tables = [str(one.table) for one in settings.shards("smoke")]
    out = [str(folder / table) for table in MADE[name]]
    words = {
        "analyse_shard": [str(folder / "log"), str(part.archive), *out, *cell],
        "join_shards": ["smoke", *out, *tables],
        "fit_study": ["smoke", out[0], str(smoke / "smoke/matches.parquet")],
    }[name]
    with reporting(str(folder / "log")):
        import_module(f"study.jobs.{name}").run(settings, *words)
    return [Path(path) for path in out]


@pytest.mark.parametrize(
    ("name", "writes"),
    [
        pytest.param("analyse_shard", 2, marks=pytest.mark.slow),
        ("join_shards", 2),
        ("fit_study", 5),
    ],
)
def test_whichever_write_fails_nothing_half_written_is_used(
    smoke: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, writes: int
) -> None:
    folder, whole = tmp_path / "failing", tmp_path / "whole"
    folder.mkdir()
    whole.mkdir()
    undisturbed = step(name, smoke, whole)
    rename, left = Path.replace, 0

    def failing(part: Path, path: Path) -> Path:
        nonlocal left
        if part.suffix != ".part":  # a file moved between temporary folders is no output
            return rename(part, path)
        left -= 1
        if left == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return rename(part, path)

    monkeypatch.setattr(Path, "replace", failing)
    for failed in range(1, writes + 1):
        left = failed
        with pytest.raises(SystemExit):
            step(name, smoke, folder)
        last = (folder / "log").read_text().splitlines()[-1]
        assert last.startswith("error: [Errno 28] No space left on device")
        assert "run again" in last
        assert list(folder.rglob("*.part")) == []
    made = step(name, smoke, folder)
    assert left == -writes, "the step writes other files than this test thinks"
    for table, one in zip(made, undisturbed, strict=True):
        verified(table)
        assert table.read_bytes() == one.read_bytes()


def settings_of(smoke: Path, results: Path) -> Settings:
    usual = load_yaml(Path("config/config.yaml"))
    return Settings({**usual, "results": str(results), "nets": smoke.name})


def copied(smoke: Path, place: Path) -> Settings:
    shutil.copytree(smoke / "smoke", place / smoke.name / "smoke")
    return settings_of(smoke, place)


def tables_of(settings: Settings) -> list[Path]:
    return [Path(table) for table in settings.match_tables("smoke")]


def exchange(one: Path, other: Path) -> None:
    between = one.with_name("between")
    one.rename(between)
    other.rename(one)
    between.rename(other)


@pytest.mark.parametrize(("kind", "what", "problem"), cases("sentences.files_of_other_cells"))
def test_files_of_another_cell_are_never_pooled(
    smoke: Path, tmp_path: Path, kind: str, what: str, problem: str
) -> None:
    settings = copied(smoke, tmp_path)
    folder = settings.played / "smoke" / kind / "3"
    one, other = folder / "advanced+noise-0.1~expert", folder / "intermediate+noise-0.4~expert"
    for path in sorted(one.glob(what)) if what else [one]:
        exchange(path, other / path.relative_to(one))
    with pytest.raises(BgratingError, match=re.escape(problem)):
        gather(settings, "smoke", tables_of(settings), tmp_path / "matches.parquet")
    assert not (tmp_path / "matches.parquet").exists()


def test_a_table_that_was_not_made_of_the_archive_beside_it_is_refused(
    smoke: Path, tmp_path: Path
) -> None:
    settings = copied(smoke, tmp_path)
    part = next(settings.shards("smoke"))
    record = provenance_path(part.table)
    facts = json.loads(record.read_text())
    record.write_text(json.dumps(facts | {"made_of": dict.fromkeys(facts["made_of"], "0" * 64)}))
    with pytest.raises(BgratingError, match="was not made of"):
        gather(settings, "smoke", tables_of(settings), tmp_path / "matches.parquet")


def test_matches_of_another_design_are_never_fitted(smoke: Path, tmp_path: Path) -> None:
    settings = copied(smoke, tmp_path)
    study = settings.played / "smoke"
    matches = study / "matches.parquet"
    record = provenance_path(matches)
    record.write_text(json.dumps(json.loads(record.read_text()) | {"cells": "0" * 64}))
    words = ("smoke", str(study / "points.csv"), str(matches))
    with pytest.raises(BgratingError, match=r"matches\.parquet holds matches of another design"):
        import_module("study.jobs.fit_study").run(settings, *words)


def test_shards_of_an_engine_that_was_replaced_are_never_pooled(
    smoke: Path, tmp_path: Path
) -> None:
    settings = copied(smoke, tmp_path)
    first, second, *_ = settings.shards("smoke")
    for path in (second.archive, second.table):
        record = provenance_path(path)
        facts = json.loads(record.read_text())
        facts["engine"]["package"] = "another build"
        record.write_text(json.dumps(facts))
    sentence = f"{first.table} and {second.table} differ in engine: delete what was played"
    with pytest.raises(BgratingError, match=re.escape(sentence)):
        gather(settings, "smoke", tables_of(settings), tmp_path / "matches.parquet")


def test_tables_of_programs_that_differ_are_named_by_those_that_have_the_program() -> None:
    """The first table has no match of the program that was replaced."""
    same = dict.fromkeys(("engine", "match_equity_table", "noise_mode", "analysis", "study_seed"))
    pairs = {"a-b.csv": ("1.0", "1.0"), "a-c.csv": ("1.0", "1.0"), "b-c.csv": ("1.0", "1.1")}
    sides = {name: dict(zip(name[:3:2], pairs[name], strict=True)) for name in pairs}
    with pytest.raises(TableError, match=r"^a-c\.csv and b-c\.csv differ in c: delete"):
        pooling._common_metadata({name: same | {"sides": sides[name]} for name in sides})


@pytest.mark.parametrize("name", ["cell", "analysis"])
def test_a_copied_study_of_other_levels_is_refused(smoke: Path, tmp_path: Path, name: str) -> None:
    """Snakemake, which made nothing there, has nothing to compare."""
    settings = copied(smoke, tmp_path)
    summary = str(settings.played / "smoke" / "summary.txt")
    import_module("study.jobs.compare_design").run(settings, summary)
    record = provenance_path(next(settings.shards("smoke")).table)
    facts = json.loads(record.read_text())
    level = facts["cell"]["players"][0] if name == "cell" else facts["analysis"]
    level["movefilter"] = "large"
    record.write_text(json.dumps(facts))
    with pytest.raises(BgratingError, match=r"000\.csv was .*: delete the folder of its study"):
        import_module("study.jobs.compare_design").run(settings, summary)


@pytest.mark.parametrize(("change", "planned"), cases("values.changed_designs"))
def test_only_what_a_changed_design_needs_is_played(
    snakemake: Run, own_study: Path, tmp_path: Path, change: list[str], planned: dict[str, int]
) -> None:
    text = (own_study / "mine.yaml").read_text()
    assert change[0] in text
    design = tmp_path / "mine.yaml"
    design.write_text(text.replace(*change))
    settings = ["--config", f"results={own_study}", f"designs={design}", "part=mine"]
    found = jobs(snakemake("-n", "study", *settings))
    assert {name: found.get(name, 0) for name in planned} == planned


@pytest.fixture(scope="module")
def own_study(snakemake: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return results with the played and analysed shards of a study of the design mine.yaml."""
    results = tmp_path_factory.mktemp("own")
    (results / "mine.yaml").write_text(data_text("designs/mine.yaml"))
    settings = [f"results={results}", f"designs={results / 'mine.yaml'}", "part=mine"]
    done = snakemake("study", "--until", "analyse", "--config", *settings)
    assert done.returncode == 0, done.stdout
    return results


@pytest.mark.parametrize(
    ("kind", "name", "part"), [("designs", "part2", "part2"), ("levels", "casual", "inside")]
)
def test_an_own_file_of_a_name_that_is_taken_stops_only_who_uses_it(
    snakemake: Run, project: Path, tmp_path: Path, kind: str, name: str, part: str
) -> None:
    own = tmp_path / f"{name}.yaml"
    shutil.copy(project / "config/designs/smoke.yaml", own)
    settings = [f"results={tmp_path / 'results'}", f"{kind}={own}"]
    assert jobs(snakemake("-n", "smoke", "--config", *settings))["play"] == 8
    refused = snakemake("-n", "study", "--config", *settings, f"part={part}")
    assert f"{own}: {name} is a name of the project's own" in refused.stdout
