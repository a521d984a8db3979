"""The formulas of the calculator are those of the results, whatever is changed there."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bgrating import BgratingError
from bgrating.engine.known_engines import engine_versions
from bgrating.rating import formula_reader, known, result_files
from bgrating.rating.calculator import CalculatorError, Player, calculate
from bgrating.rating.choose import choose
from bgrating.rating.formula import write_no_formula
from bgrating.rating.formula_reader import FormulaError
from bgrating.rating.known import ENGINE_VERSIONS, KnownError, of_version
from bgrating.tables.provenance import ProvenanceError, read_provenance, write_provenance

KEPT = ("formula.json*", "law/*.json", "people/*.csv", "people/*.json")


@pytest.fixture(name="data")
def _data(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    results = project / "results"
    for pattern in (*(f"*/{kept}" for kept in KEPT), "published/coefficients.csv"):
        for file in results.glob(pattern):
            place = tmp_path / "results" / file.relative_to(results)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, place)
    monkeypatch.setattr(result_files, "COMMITTED", tmp_path / "results")
    caches = (
        known.of_version,
        known.of_others,
        known.people_error,
        formula_reader.fitted_formula_json,
    )
    for cache in caches:
        cache.cache_clear()
    yield tmp_path
    for cache in caches:
        cache.cache_clear()


def test_a_changed_formula_needs_its_checksum(data: Path) -> None:
    file = data / "results/1.08/formula.json"
    text = json.loads(file.read_text())
    text["estimate"]["b_const"] = 4000.0
    file.write_text(json.dumps(text))
    with pytest.raises(
        ProvenanceError, match=r"formula\.json: its checksum is not the one in its provenance"
    ):
        of_version("1.08")
    write_provenance(file, **read_provenance(file))
    file.write_text(json.dumps(text | {"interval": None}))
    write_provenance(file, **read_provenance(file))
    with pytest.raises(FormulaError, match=r"formula\.json has no intervals: restore the file"):
        of_version("1.08")
    text["interval"]["b_const"] = [4000 - 351.989, 4000 + 351.989]
    file.write_text(json.dumps(text))
    write_provenance(file, **read_provenance(file))
    found = of_version("1.08")[0]
    assert dict(zip(found["terms"], found["estimate"], strict=True))["b_const"] == 4000.0


def exchanged(data: Path) -> None:
    for name in ("formula.json", "formula.json.provenance.json"):
        shutil.copy(data / "1.07.001" / name, data / "1.08" / name)


def without_formula(data: Path) -> None:
    write_no_formula(data / "1.08/formula.json", "one pair is no line", {"nets": "1.08"})


def unrecorded(data: Path) -> None:
    (data / "1.08/formula.json.provenance.json").unlink()


def missing(data: Path) -> None:
    (data / "1.08/formula.json").unlink()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (exchanged, "is for errors as gnubg 1.07.001 judges them, not 1.08: restore the file"),
        (without_formula, "holds no formula: one pair is no line"),
        (unrecorded, "has no provenance beside it"),
        (missing, "is not a rating formula|is missing"),
    ],
)
def test_calc_and_rate_refuse_the_same_files(
    data: Path, change: Callable[[Path], None], sentence: str
) -> None:
    change(data / "results")
    for use in (lambda: calculate(Player(pr=6), 7), lambda: choose("fitted", "1.08")):
        with pytest.raises(
            BgratingError, match=rf"results/1\.08/formula\.json.*({sentence})"
        ) as refused:
            use()
        assert "\n" not in str(refused.value)
    assert calculate(Player(pr=6), 7, nets="1.07.001")[-1].rating


def test_a_stray_folder_of_results_is_no_engine(data: Path) -> None:
    before = repr(calculate(Player(pr=6), 7))
    for name in ("1.09", "1.09-old", "1.08.9", "9"):
        shutil.copytree(data / "results/1.08", data / "results" / name)
    assert repr(calculate(Player(pr=6), 7)) == before
    with pytest.raises(
        CalculatorError, match=r"no formula for gnubg 1\.09; there are: 1\.08, 1\.07\.001"
    ):
        calculate(Player(pr=6), 7, nets="1.09")


@pytest.mark.parametrize("table", ["people/factor.csv", "people/per_pr.csv", "people/close.csv"])
def test_a_missing_table_is_named(data: Path, table: str) -> None:
    (data / "results/1.08" / table).unlink()
    with pytest.raises(
        KnownError, match=rf"1\.08/{table} is missing: restore it from the repository"
    ):
        calculate(Player(pr=6), 7)


def test_the_engines_of_the_calculator_are_those_of_the_configuration() -> None:
    assert list(ENGINE_VERSIONS) == engine_versions()
