"""The formulas of the calculator are those of the results, whatever is changed there."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bgrating.rating import known
from bgrating.rating.choose import choose
from bgrating.rating.known import formulas, nets_with_formula
from bgrating.tables.provenance import ProvenanceError, read_provenance, write_provenance

KEPT = ("formula.json*", "law/depth.csv", "law/*.json", "people/*.csv", "people/*.json")


@pytest.fixture(name="data")
def _data(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    results = project / "results"
    for pattern in (*(f"*/{kept}" for kept in KEPT), "published/coefficients.csv"):
        for file in results.glob(pattern):
            place = tmp_path / "results" / file.relative_to(results)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, place)
    monkeypatch.setattr(known, "DATA", tmp_path)
    caches = known.formulas, known._formula, known.people_error
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
    with pytest.raises(ProvenanceError, match=r"formula\.json: its checksum is not the one in its provenance"):
        formulas()
    write_provenance(file, **read_provenance(file))
    assert dict(zip(formulas()[0]["terms"], formulas()[0]["estimate"], strict=True))["b_const"] == 4000.0


@pytest.mark.parametrize("level", ["1-ply", "2-ply"])
@pytest.mark.parametrize("nets", nets_with_formula())
def test_a_deeper_formula_is_that_of_rate(nets: str, level: str) -> None:
    expected = choose("fitted", nets, level).formula
    (found,) = (one for one in formulas() if (one["nets"], one["count"], one["depths"]) == (nets, "move", [level]))
    assert found["name"] == f"our formula for gnubg {nets}, EPM and cube error per move at {level}"
    assert found["estimate"] == pytest.approx(expected.estimate)
    assert np.array(found["covariance"]) == pytest.approx(expected.covariance)
    assert found["quantile"] == pytest.approx(expected.half_width(1.0), rel=1e-7)


def test_the_people_of_2003_are_rated_lower_by_the_mean_of_their_differences(project: Path) -> None:
    table = pd.read_csv(project / "results/1.08/people/appendix1.csv")
    assert known.appendix_below() == pytest.approx((table["recorded_rating"] - table["rating"]).mean())
