"""The workflow from another folder: in a line, as a module, by printed and documented lines."""

import os
import re
import shlex
import sys
from pathlib import Path

import pandas as pd
import pytest

from bgrating.engine.locate import Engine
from bgrating.tables.provenance import verified
from commands import Done, run
from corpus import data_text

SNAKEMAKE = [sys.executable, "-m", "snakemake"]


def own_study(folder: Path) -> Path:
    """Write a design and the settings of its study; return the file of the settings."""
    (folder / "mine.yaml").write_text(data_text("designs/mine.yaml"))
    settings = folder / "settings.yaml"
    settings.write_text("part: mine\nresults: results\ndesigns: mine.yaml\n")
    return settings


def snakemake(folder: Path, *words: object) -> Done:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = run([*SNAKEMAKE, *words], cwd=folder, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.mark.slow
def test_one_line_works_in_any_folder_and_a_printed_command_runs_alone(
    project: Path, engine: Engine, tmp_path: Path
) -> None:
    line = ["-s", project / "Snakefile", "--configfile", own_study(tmp_path), "--cores", "2"]
    done = snakemake(tmp_path, *line, "--printshellcmds", "study", "coefficients")
    study = tmp_path / "results" / engine.known.version / "mine"
    assert len(pd.read_parquet(study / "matches.parquet")) == 4
    assert (tmp_path / "results" / engine.known.version / "coefficients.csv").is_file()
    printed = done.stdout + done.stderr
    (command,) = re.findall(r"(?m)^Shell command: (sh .*job\.sh .* fit_study .*)", printed)
    before = (study / "points.csv").read_bytes()
    (study / "points.csv").unlink()
    pasted = run(["sh", "-c", command], cwd=tmp_path)
    assert pasted.returncode == 0, pasted.stderr
    assert (study / "points.csv").read_bytes() == before
    verified(study / "points.csv")


@pytest.mark.slow
def test_a_module_with_a_prefix_runs_to_its_end(
    project: Path, engine: Engine, tmp_path: Path
) -> None:
    own_study(tmp_path)
    (tmp_path / "Snakefile").write_text(data_text("snakefiles/prefix.smk").format(project=project))
    words = ["--configfile", "settings.yaml", "--cores", "2"]
    done = snakemake(tmp_path, *words, "bgrating_study", "bgrating_coefficients")
    assert "localrules" not in done.stdout + done.stderr
    made = tmp_path / "bg" / "results" / engine.known.version
    assert (made / "coefficients.csv").is_file()
    assert (made / "mine" / "report.html").is_file()
    assert not (tmp_path / "results").exists()


@pytest.mark.nightly
def test_the_lines_of_the_study_page_run_from_an_empty_folder(
    project: Path, engine: Engine, tmp_path: Path
) -> None:
    page = (project / "docs" / "study.md").read_text(encoding="utf-8")
    block = r"`mine/(\S+\.yaml)`[^`]*?(?:`[^`]*`[^`]*?)*?```yaml\n(.*?)```"
    files = dict(re.findall(block, page, re.DOTALL))
    assert [*files] == ["designs/mini.yaml", "levels/my-noise.yaml", "config.yaml"]
    for name, text in files.items():
        path = tmp_path / "mine" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    lines = re.findall(r"^snakemake (.*)$", page, re.MULTILINE)
    assert len(lines) == 3
    for line in lines:
        snakemake(tmp_path, *shlex.split(line.replace("CLONE", str(project))))
    made = tmp_path / "mine" / "results" / engine.known.version
    for named in re.findall(r"^\| `(mini/[\w.]+|coefficients.csv)`", page, re.MULTILINE):
        assert (made / named).is_file(), named
    frozen = sorted(path.name for path in (made / "mini" / "frozen").glob("*.parquet"))
    assert frozen == ["3.parquet", "5.parquet"]
