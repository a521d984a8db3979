"""Settings and levels: what is allowed, and one clear line for what is not."""

from pathlib import Path

import pytest

from bgrating.engine import levels
from bgrating.settings_files import SettingsError, check, load_yaml
from corpus import cases


def test_every_level_that_comes_with_the_project_is_right(project: Path) -> None:
    for path in (project / "gnubg_configs" / "players").glob("*.yaml"):
        assert levels.player(path.stem).name == path.stem
    for path in (project / "gnubg_configs" / "analysis").glob("*.yaml"):
        assert levels.analysis(path.stem).name == path.stem


@pytest.mark.parametrize(("changes", "message"), cases("sentences.levels"))
def test_a_wrong_key_or_value_of_a_level_is_named_with_what_is_allowed(
    changes: dict[str, object], message: str
) -> None:
    expert = load_yaml(levels.CONFIGS / "players" / "expert.yaml")
    for key, value in changes.items():
        group, _, name = key.rpartition(".")
        (expert[group] if group else expert)[name] = value
    with pytest.raises(SettingsError, match=message):
        check(expert, "player", "x.yaml")


@pytest.mark.parametrize(("settings", "message"), cases("sentences.settings"))
def test_a_wrong_setting_of_a_run_is_named(
    project: Path, settings: dict[str, object], message: str
) -> None:
    config = load_yaml(project / "config" / "config.yaml")
    check(config, "config", "settings")
    with pytest.raises(SettingsError, match=message):
        check(config | settings, "config", "settings")


@pytest.mark.parametrize("content", [b"a: [1", b"\xff\xfe"])
def test_a_file_that_is_not_yaml_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "mine.yaml").write_bytes(content)
    with pytest.raises(SettingsError, match=r"mine\.yaml is not YAML"):
        load_yaml(tmp_path / "mine.yaml")
