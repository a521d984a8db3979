"""Refits from frozen tables, whatever has not been played, and no play at all."""

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import optimize

from bgrating.tables.provenance import read_provenance
from browser import Look
from commands import Run
from corpus import cases
from study.pages import write, write_missing

ENGINE_VERSION = "1.07.001"
STUDY = "check-zadeh"  # sixteen cells at one match length: the smallest frozen table with a formula


@pytest.fixture(scope="module")
def whole(
    snakemake: Run, project: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, str]:
    """Analyse everything where one study is frozen; return the results and the output."""
    results = tmp_path_factory.mktemp("whole") / ENGINE_VERSION
    shutil.copytree(
        project / "results" / ENGINE_VERSION / STUDY / "frozen", results / STUDY / "frozen"
    )
    done = snakemake("analysis", "--config", f"nets={ENGINE_VERSION}", f"results={results.parent}")
    assert done.returncode == 0, done.stdout
    return results, done.stdout


def test_the_results_kept_are_those_of_the_frozen_tables(
    project: Path, whole: tuple[Path, str]
) -> None:
    kept = project / "results" / ENGINE_VERSION / STUDY / "formula.json"
    mine = whole[0] / STUDY / "formula.json"
    tables = [read_provenance(path)["tables"] for path in (kept, mine)]
    assert tables[0] == tables[1], (
        f"{kept} is older than its frozen tables: ./run analysis makes it anew"
    )
    estimates = [json.loads(path.read_text())["estimate"] for path in (kept, mine)]
    assert estimates[0] == estimates[1]


def test_nothing_is_played_for_what_is_not_frozen(whole: tuple[Path, str]) -> None:
    results, printed = whole
    assert f"Report: {results / STUDY / 'report.html'}" in printed
    assert not list(results.glob("*/shards"))


def test_pages_in_a_browser(
    project: Path, whole: tuple[Path, str], look: Look, tmp_path: Path
) -> None:
    look("study", whole[0] / STUDY / "report.html")
    own = project / "results" / "1.08" / "part2"
    shutil.copytree(
        own, tmp_path / "1.08" / "part2", ignore=shutil.ignore_patterns("frozen", "*.parquet")
    )
    look("part2", write("study", tmp_path / "1.08" / "part2"))


def test_a_clone_makes_its_pages_once(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("1.07.001/check-zadeh", "1.08/appendix2"):
        shutil.copytree(
            project / "results" / name,
            tmp_path / name,
            ignore=shutil.ignore_patterns("*.html", "frozen"),
        )
    write_missing(tmp_path)
    assert capsys.readouterr().out == "making 2 pages\n"
    assert {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.html")} == {
        "index.html",
        "1.07.001/check-zadeh/report.html",
        "1.08/appendix2/report.html",
    }
    write_missing(tmp_path)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(("words", "sentence"), cases("sentences.settings_of_snakemake"))
def test_settings_are_refused_in_a_sentence(
    snakemake: Run, tmp_path: Path, words: str, sentence: str
) -> None:
    target, *settings = words.format(place=tmp_path).split()
    wrong = snakemake("-n", target, "--config", *settings)
    assert wrong.returncode != 0
    assert sentence.format(place=tmp_path) in wrong.stdout
    assert "Traceback" not in wrong.stdout
    assert "error: " in wrong.stdout.splitlines()[-1]


def own_least_squares(file: Path) -> dict[str, float]:
    """Return the coefficients of weighted least squares of chances, from a table of points."""
    points = pd.read_csv(file)
    rows = points[(points["method"] == "control-variate") & (points["p_win_se"] > 0)]
    length = rows["match_length"].to_numpy(float)
    parts = [rows[rate] * part for rate in ("epm", "epc") for part in (1.0, 1 / length)]
    design = np.column_stack(parts)

    def off(values: np.ndarray) -> np.ndarray:
        chance = 1 / (1 + 10 ** (1e4 * design @ values * np.sqrt(length) / 2000))
        return np.asarray((rows["p_win"] - chance) / rows["p_win_se"])

    found = optimize.least_squares(off, np.ones(4), xtol=1e-14, ftol=1e-14, gtol=1e-14)
    return dict(zip(("a2_const", "a2_inv", "b_const", "b_inv"), 1e4 * found.x, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("frozen", "compared"),
    [
        ("results/1.08/part2/frozen", {"bilinear-ols", "bilinear-ols-lines"}),
        ("tests/data/studies/two/frozen", {"bilinear-ols"}),
    ],
)
def test_a_study_has_one_answer(
    snakemake: Run, project: Path, tmp_path: Path, frozen: str, compared: set[str]
) -> None:
    """Formula file, table, page and summary hold the fit that the repository keeps.

    Other fits are for comparison. The study `two` has 100 matches in each cell of two levels at two
    lengths, played and frozen for this test, without a kept formula.
    """
    source = project / frozen
    study = source.parent.name
    own = tmp_path / "1.08" / study
    shutil.copytree(source, own / "frozen")
    designs = project / "tests/data/designs/two.yaml"
    settings = [f"results={tmp_path}", f"designs={designs}", "nets=1.08", f"part={study}"]
    done = snakemake("study", "coefficients", "--config", *settings)
    assert done.returncode == 0, done.stdout
    formula = json.loads((own / "formula.json").read_text())
    if (kept := source.parent / "formula.json").is_file():
        assert formula["estimate"] == pytest.approx(json.loads(kept.read_text())["estimate"])
    for file in (own / "coefficients.csv", tmp_path / "1.08" / "coefficients.csv"):
        table = pd.read_csv(file)
        terms = table[table["recommended"] & table["match_length"].isna()].set_index("term")
        assert terms["estimate"].to_dict() == pytest.approx(formula["estimate"])
        assert terms["std_error"].notna().all()
        assert compared <= {*table[~table["recommended"]]["model"]}
    assert own_least_squares(own / "points.csv") == pytest.approx(formula["estimate"], rel=1e-5)
    line = f"{formula['estimate']['a2_const']:,.0f} + {formula['estimate']['a2_inv']:,.0f} / N"
    assert line in (own / "report.html").read_text()
    assert line in (own / "summary.txt").read_text()


def test_snakemakes_own_report_shows_tables_and_figures_with_captions(
    snakemake: Run, whole: tuple[Path, str], tmp_path: Path
) -> None:
    page = tmp_path / "report.html"
    settings = ("--config", f"nets={ENGINE_VERSION}", f"results={whole[0].parent}", f"part={STUDY}")
    done = snakemake("study", "--report", str(page), *settings)
    assert done.returncode == 0, done.stdout
    text = page.read_text()
    for shown in ("points", "coefficients", "page", "figure: coefficients"):
        assert f'"labels": {{"shows": "{shown}"}}' in text, shown
    assert text.count(f"The study {STUDY}: ") == 1, "the caption of the figure"


def test_a_study_of_one_length_recommends_the_fit_of_that_length(
    snakemake: Run, whole: tuple[Path, str]
) -> None:
    """It has one match length."""
    results = whole[0]
    settings = ("--config", f"nets={ENGINE_VERSION}", f"results={results.parent}", f"part={STUDY}")
    assert snakemake("coefficients", *settings).returncode == 0
    table = pd.read_csv(results / "coefficients.csv")
    assert {*table[table["recommended"]]["model"]} == {"bilinear-probability"}
