"""Designs against the numbers of the published study."""

from pathlib import Path

import pytest

from bgrating.play import designs
from bgrating.settings_files import SettingsError
from corpus import cases


def test_shards_hold_all_matches() -> None:
    for study in designs.studies():
        for point in designs.design(study).points:
            shards = list(point.shards())
            assert sum(shard.matches for shard in shards) == point.matches
            assert [shard.number for shard in shards] == list(range(len(shards)))


@pytest.mark.parametrize(("change", "message"), cases("sentences.designs"))
def test_a_wrong_design_is_refused_before_anything_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: tuple[str, str], message: str
) -> None:
    text = (designs.DESIGNS / "smoke.yaml").read_text()
    assert change[0] in text
    (tmp_path / "mine.yaml").write_text(text.replace(*change))
    monkeypatch.setattr(designs, "DESIGNS", tmp_path)
    designs.design.cache_clear()
    with pytest.raises(SettingsError, match=message):
        designs.design("mine")
    designs.design.cache_clear()
