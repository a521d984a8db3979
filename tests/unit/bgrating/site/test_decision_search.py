"""`find`: decisions of all collections, by what they have in common."""

from pathlib import Path

import pyarrow as pa
import pytest

from bgrating.decisions.decision_table import COLUMNS, write_decisions
from bgrating.settings_files import SettingsError
from bgrating.site.decision_search import find
from corpus import cases, values
from unit.bgrating.site.test_collection_page import collection


@pytest.fixture(scope="module", name="results")
def _results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write two collections: ann and bob err by 0.17 in every match, cy and dee by 0.03."""
    results = tmp_path_factory.mktemp("results")
    for name, players, loss in (("club", ["ann", "bob"], 0.17), ("old", ["cy", "dee"], 0.03)):
        folder = results / "human" / name
        folder.mkdir(parents=True)
        made = collection(folder, players)
        rows = [
            values("site")["loss"] | row | {"loss_emg": loss}
            for row in made.matches[["file", "match", "player", "opponent", "side"]].to_dict(
                "records"
            )
        ]
        table = pa.Table.from_pylist(rows, schema=COLUMNS)
        assert len(list(write_decisions([table], folder / "decisions.parquet"))) == 1
    return results


def test_gnubg_names_a_position_before_an_answer_as_the_doubler_sees_it(tmp_path: Path) -> None:
    folder = tmp_path / "human" / "club"
    folder.mkdir(parents=True)
    match = collection(folder, ["ann", "bob"]).matches.iloc[0]
    row = values("site")["loss"] | dict(match[["file", "match", "player", "opponent", "side"]])
    # After 31: 8/5 6/5 the other side doubles.
    doubler = "XGID=-b----E-C---eE---b-db---B-:0:0:1:00:0:0:0:7:10"
    opponent = "XGID=-b---BD-B---eE---c-e----B-:0:0:-1:D:0:0:0:7:10"
    rows = [row | {"kind": "double", "xgid": doubler}, row | {"kind": "take", "xgid": opponent}]
    table = pa.Table.from_pylist(rows, schema=COLUMNS)
    assert len(list(write_decisions([table], folder / "decisions.parquet"))) == 1
    found = find(tmp_path, {"position": "sGfwATDgc/ABMA"}, 5)
    assert [row["kind"] for row in found] == ["double", "take"]
    assert find(tmp_path, {"position": "4HPwATCwZ/ABMA"}, 5) == []


@pytest.mark.parametrize(("fields", "count", "first"), cases("values.found"))
def test_decisions_are_found(results: Path, fields: dict[str, str], count: int, first: str) -> None:
    found = find(results, fields, 100)
    assert len(found) == count
    assert not found or found[0]["player"] == first
    assert all(row["page"].startswith("file:") and "#d" in row["page"] for row in found)


def test_the_costliest_come_first_and_no_more_than_asked_for(results: Path, tmp_path: Path) -> None:
    found = find(results, {}, 26)
    assert [row["collection"] for row in found] == ["club"] * 24 + ["old"] * 2
    assert find(tmp_path, {}, 5) == []


@pytest.mark.parametrize(("fields", "sentence"), cases("sentences.fields"))
def test_a_field_that_cannot_be_read_is_one_sentence(
    results: Path, fields: dict[str, str], sentence: str
) -> None:
    with pytest.raises(SettingsError, match=sentence):
        find(results, fields, 5)
