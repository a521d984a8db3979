"""Refits from frozen tables, whatever has not been played, and no play at all."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from bgrating.tables.provenance import read_provenance
from study.comparison import TABLES
from study.pages import write, write_missing

Run = Callable[..., subprocess.CompletedProcess[str]]
Look = Callable[[str, Path], None]
NETS = "1.07.001"
STUDY = "check-zadeh"  # sixteen cells at one match length: the smallest frozen table with a formula


@pytest.fixture(scope="module")
def whole(snakemake: Run, project: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Analyse everything where one study alone has been frozen; return the results and what was printed."""
    results = tmp_path_factory.mktemp("whole") / NETS
    shutil.copytree(project / "results" / NETS / STUDY / "frozen", results / STUDY / "frozen")
    done = snakemake("analysis", "--config", f"nets={NETS}", f"results={results.parent}")
    assert done.returncode == 0, done.stdout
    return results, done.stdout


def test_the_results_kept_are_those_of_the_frozen_tables(project: Path, whole: tuple[Path, str]) -> None:
    kept = project / "results" / NETS / STUDY / "formula.json"
    mine = whole[0] / STUDY / "formula.json"
    tables = [read_provenance(path)["tables"] for path in (kept, mine)]
    assert tables[0] == tables[1], f"{kept} is older than its frozen tables: ./run analysis makes it anew"
    estimates = [json.loads(path.read_text())["estimate"] for path in (kept, mine)]
    assert estimates[0] == estimates[1]


def test_what_was_not_played_is_named_and_nothing_fails_for_it(whole: tuple[Path, str]) -> None:
    results, printed = whole
    assert "Not played yet: appendix2, appendix2-1-ply, appendix2-2-ply," in printed
    assert not list(results.glob("*/shards"))
    for name in TABLES:
        facts = read_provenance(results / "comparison" / f"{name}.csv")
        assert list(facts["studies"]) == [STUDY]
        assert facts["rows"] == len(pd.read_csv(results / "comparison" / f"{name}.csv"))
    page = (results / "comparison" / "report.html").read_text()
    assert "Not played yet: appendix2, appendix2-1-ply, appendix2-2-ply," in page


def test_pages_in_a_browser(project: Path, whole: tuple[Path, str], look: Look, tmp_path: Path) -> None:
    look("study", whole[0] / STUDY / "report.html")
    look("comparison-of-one", whole[0] / "comparison" / "report.html")
    for about, name in (("study", "part2"), ("comparison", "comparison"), ("law", "law")):
        own = project / "results" / "1.08"
        shutil.copytree(own / name, tmp_path / "1.08" / name, ignore=shutil.ignore_patterns("frozen", "*.parquet"))
        shutil.copy(own / "formula.json", tmp_path / "1.08")
        look(name, write(about, tmp_path / "1.08" / name))


def test_a_clone_makes_its_pages_once(project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("1.07.001/law", "1.08/law"):
        shutil.copytree(project / "results" / name, tmp_path / name, ignore=shutil.ignore_patterns("*.html", "frozen"))
        shutil.copy(project / "results" / name / ".." / "formula.json", tmp_path / name / "..")
    write_missing(tmp_path)
    assert capsys.readouterr().out == "making 2 pages\n"
    assert {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.html")} == {
        "index.html", "1.07.001/law/report.html", "1.08/law/report.html"
    }  # fmt: skip
    write_missing(tmp_path)
    assert capsys.readouterr().out == ""


def test_a_part_without_frozen_matches_is_one_clear_error(snakemake: Run, tmp_path: Path) -> None:
    wrong = snakemake("-n", "analysis", "--config", "nets=1.08", "part=part1", f"results={tmp_path}")
    assert wrong.returncode != 0
    assert f"no frozen matches of part1 in {tmp_path}/1.08: restore them from the repository" in wrong.stdout
