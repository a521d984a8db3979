"""Player levels with a dilution, and what is refused."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from bgrating.engine import levels
from bgrating.settings_files import SettingsError
from corpus import cases

Add = Callable[..., None]
EXPERT = levels.CONFIGS / "players" / "expert.yaml"


@pytest.fixture
def add(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Add]:
    """Return a function that adds a diluted expert to a copy of the levels."""
    (tmp_path / "players").mkdir()
    for path in (levels.CONFIGS / "players").glob("*.yaml"):
        (tmp_path / "players" / path.name).write_bytes(path.read_bytes())
    monkeypatch.setattr(levels, "CONFIGS", tmp_path)
    levels._level.cache_clear()

    def write(name: str, dilution: object, **changes: object) -> None:
        level = {**yaml.safe_load(EXPERT.read_text()), "dilution": dilution, **changes}
        (tmp_path / "players" / f"{name}.yaml").write_text(yaml.safe_dump(level))

    yield write
    levels._level.cache_clear()


def test_a_diluted_level_names_its_weak_level_and_share() -> None:
    found = levels.player("expert-diluted-0.1")
    assert found.dilution
    assert (found.dilution.share, found.dilution.weak) == (0.1, levels.player("noise-0.4"))
    assert found.chequerplay == levels.player("expert").chequerplay
    assert levels.player("expert").dilution is None


@pytest.mark.parametrize(("dilution", "problem"), cases("sentences.dilutions"))
def test_a_wrong_dilution_is_refused_by_name(add: Add, dilution: object, problem: str) -> None:
    add("odd", dilution)
    with pytest.raises(SettingsError, match=problem):
        levels.player("odd")


def test_a_second_level_gives_its_cube_decisions_and_a_third_its_dilution() -> None:
    two, three = (
        levels.player("noise-0.02+noise-0.1"),
        levels.player("noise-0.02+noise-0.1+blunders-0.06"),
    )
    assert (two.chequerplay.noise, two.cubedecision.noise, two.dilution) == (0.02, 0.1, None)
    assert three == replace(two, name=three.name, dilution=levels.player("blunders-0.06").dilution)


@pytest.mark.parametrize(("spec", "problem"), cases("sentences.combinations"))
def test_a_combination_that_means_nothing_is_refused(spec: str, problem: str) -> None:
    with pytest.raises(SettingsError, match=problem):
        levels.player(spec)


def test_any_level_is_there_without_luck() -> None:
    for name in ("2-ply-no-luck", "4-ply-no-luck"):
        level = levels.analysis(name)
        assert not level.luck
        whole = levels.analysis(name.removesuffix("-no-luck"))
        assert replace(level, name=whole.name, luck=True) == whole
    with pytest.raises(SettingsError, match=r"'9-ply'.*0-ply"):
        levels.analysis("9-ply-no-luck")
