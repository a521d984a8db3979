"""Settings and levels: what is allowed, and one clear line for what is not."""

from pathlib import Path

import pytest

from bgrating.engine import levels
from bgrating.settings import SettingsError, check, load_yaml
from corpus import cases


def test_every_level_that_comes_with_the_project_is_right(project: Path) -> None:
    for path in (project / "gnubg_configs" / "players").glob("*.yaml"):
        assert levels.player(path.stem).name == path.stem
    for path in (project / "gnubg_configs" / "analysis").glob("*.yaml"):
        assert levels.analysis(path.stem).name == path.stem


def test_a_composite_player_takes_the_cube_of_the_second_level() -> None:
    player = levels.player("noise-0.02+noise-0.8")
    assert (player.chequerplay.noise, player.cubedecision.noise) == (0.02, 0.8)


EXPERT = load_yaml(levels.CONFIGS / "players" / "expert.yaml")
NOISE = EXPERT["chequerplay"] | {"noise": 0.1}


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("movefilter", "norml", r"movefilter: 'norml' is not one of \["),
        ("chequerplay", {"plies": 0}, r"chequerplay: 'cubeful' is a required property"),
        ("plys", 3, r"unknown plys; allowed: .*movefilter"),
        ("match_equity_table", "Kazaross", r"match_equity_table: 'Kazaross' is not one of \["),
        ("chequerplay", NOISE | {"deterministic": True}, r"x\.yaml: chequerplay\.deterministic: .*biased"),
        ("cubedecision", NOISE | {"noise": -0.1}, r"cubedecision\.noise: -0\.1"),
    ],
)
def test_a_wrong_key_or_value_is_named_with_what_is_allowed(key: str, value: object, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        check(EXPERT | {key: value}, "player", "x.yaml")


@pytest.mark.parametrize(("settings", "message"), cases("sentences.settings"))
def test_a_wrong_setting_of_a_run_is_named(project: Path, settings: dict[str, object], message: str) -> None:
    config = load_yaml(project / "config" / "config.yaml")
    check(config, "config", "settings")
    with pytest.raises(SettingsError, match=message):
        check(config | settings, "config", "settings")


def test_what_is_not_yaml_is_named(tmp_path: Path) -> None:
    path = tmp_path / "level.yaml"
    path.write_text("a: [1")
    with pytest.raises(SettingsError, match=r"level\.yaml is not YAML"):
        load_yaml(path)


def test_a_file_of_other_bytes_than_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsError, match=r"mine\.yaml is not YAML"):
        load_yaml(tmp_path / "mine.yaml")
