"""The list of dependencies, the lock that pins them, and pip's settings for uv."""

import re
import sys
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest
import yaml
from pip._vendor.packaging.requirements import Requirement

import bgrating
from ci_scripts import ci_module
from commands import run
from corpus import data_text
from study import dependencies
from study.dependencies import PARTS, name_of, pins, requirements
from study.environment import uv_variables

conda_files = ci_module("conda_files")
LOCK = data_text("setup/requirements.lock")


@pytest.mark.parametrize("part", PARTS)
def test_the_lock_has_all_that_a_part_needs(part: str) -> None:
    there = pins(map(name_of, requirements(*PARTS[: PARTS.index(part) + 1])))
    form = re.compile(r"\S+==.*\\\n( +--hash=sha256:.{64}( \\)?\n)+( +#.*\n)+")
    assert all(form.fullmatch(pin) for pin in there.values())
    markers = {name: Requirement(pin.partition(" \\\n")[0]).marker for name, pin in there.items()}
    installed = [name for name, marker in markers.items() if not marker or marker.evaluate()]
    needed = (Requirement(text) for name in installed for text in requires(name) or ())
    at_once = {
        one.name.lower() for one in needed if not one.marker or one.marker.evaluate({"extra": ""})
    }
    assert {re.sub(r"[._]", "-", name) for name in at_once} <= {*there}


def test_the_lock_has_nothing_else(project: Path) -> None:
    names = re.findall(r"^([\w.-]+)==", (project / "requirements.lock").read_text(), re.MULTILINE)
    assert names == sorted({*names})
    assert {*names} == {*pins(map(name_of, requirements(*PARTS, "set-up")))}


def test_the_environments_of_conda_are_those_of_the_lock(project: Path) -> None:
    made = conda_files.files()
    assert made.keys() >= {project / "environment.yml", project / "rules/envs/engine.yml"}
    assert {path: path.read_text() for path in made} == made, ".ci/conda_files.py writes them"


def test_the_recipe_for_conda_has_what_conda_forge_has(project: Path) -> None:
    text = (project / "conda/recipe.yaml").read_text(encoding="utf-8")
    recipe = yaml.safe_load(text)
    reader, product = recipe["outputs"]
    assert (reader["package"]["name"], product["package"]["name"]) == ("bgmatch", "bgrating")
    needed = {*requirements("serve")}
    absent = {line for line in needed if name_of(line) in {"gammonview", "gnubg", "xgdatatools"}}
    assert {*product["requirements"]["run"][2:]} == needed - absent
    notes = "".join(line for line in text.splitlines() if line.startswith("#"))
    for line in absent:
        assert f"`{name_of(line)}`" in notes
    assert recipe["context"]["version"] == bgrating.__version__


@pytest.mark.slow
def test_a_rule_has_an_environment_with_what_its_job_imports(project: Path) -> None:
    text = "\n".join(file.read_text() for file in sorted(project.glob("rules/*.smk")))
    rule = r'conda:\n +f"\{ENVS\}/(\w+)\.yml"\n(?:(?!\n\n).|\n(?!\n))*? job\("(\w+)"'
    found = re.findall(rule, text)
    some = {("engine", "play_shard"), ("statistics", "join_shards"), ("pages", "folder_page")}
    assert some <= {*found}
    asks = "import sys, study.jobs.{}; print(*(name for name in sys.modules if '.' not in name))"
    distributions = packages_distributions()
    for environment, job in found:
        command = [sys.executable, "-c", asks.format(job)]
        loaded = run(command, cwd=project / "scripts").stdout.split()
        assert loaded
        needed = {one for name in loaded for one in distributions.get(name, ())}
        needed = {one.lower().replace("_", "-") for one in needed}
        unneeded = {"bgrating", "charset-normalizer", "setuptools"}
        assert needed - unneeded <= {*pins(conda_files.OF_RULES[environment])}, job


def test_pins_are_those_of_packages_and_of_what_they_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dependencies, "LOCK", tmp_path / "lock")
    (tmp_path / "lock").write_text(LOCK)
    assert [*pins({"a"})] == ["a", "b-c"]
    assert [*pins({"b"})] == ["a", "b-c"]
    assert pins({"d.e"}) == {"d.e": "d.e==3 \\\n    --hash=sha256:4\n"}


def test_uv_has_the_settings_of_pip() -> None:
    assert uv_variables(data_text("setup/pip-config.txt")) == {
        "UV_DEFAULT_INDEX": "one it%27s",
        "UV_FIND_LINKS": "a,b",
        "SSL_CERT_FILE": "/c.pem",
        "UV_OFFLINE": "1",
        "ALL_PROXY": "two it's",
        "UV_INDEX_STRATEGY": "unsafe-best-match",
    }
