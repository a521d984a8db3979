"""The dependencies: groups in pyproject.toml, versions with hashes in requirements.lock.

`python -m study.dependencies` writes environment.yml, the same for conda, and the small
environments of the rules.
"""

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOCK = ROOT / "requirements.lock"
PROJECTS = {"bgrating": ROOT, "bgmatch": ROOT / "scripts" / "bgmatch"}
"""Our own packages, by the folders of their pyproject.toml."""
# Three extras and a dependency group that ./run installs, each with those before it.
PARTS = ("rate", "ratings", "serve", "study")
# Packages that the channels of conda lack.
PIP = {"choix", "elote", "evalica", "gammonview", "gnubg", "whr", "xgdatatools"}
_TABLES = ("jsonschema", "numpy", "pandas", "pyarrow", "pyyaml", "referencing")
_PEOPLE = ("filelock", "gammonview", "platformdirs", "xgdatatools")
_STATISTICS = (*_TABLES, "scipy", "statsmodels")
_PAGES = (*_STATISTICS, *_PEOPLE, "jinja2", "markupsafe", "matplotlib")
# The packages that the jobs of a rule import: rules/envs/<name>.yml.
OF_RULES = {
    "engine": (*_TABLES, *_PEOPLE, "gnubg", "pyelftools"),
    "statistics": _STATISTICS,
    "pages": _PAGES,
    "collection": (*_PAGES, "gnubg", "pyelftools"),
}
CONDA = """\
# conda env create -f environment.yml && conda activate bgrating
# Made by `python -m study.dependencies` from pyproject.toml and requirements.lock. The engine
# comes with it for 64-bit Linux; elsewhere install gnubg and faketime with the system's packages
# (named in CONTRIBUTING.md).
name: bgrating
{dependencies}
# Python finds the package and its Snakemake logger plugin here. mamba 2.0 does not read this:
# export it by hand.
variables:
  PYTHONPATH: scripts
"""


def requirements(*groups: str, project: str = "bgrating") -> list[str]:
    """Return the direct dependencies of extras and dependency groups, as written in a project's
    pyproject.toml.

    In place of our own packages stand their dependencies.
    """
    about = tomllib.loads((PROJECTS[project] / "pyproject.toml").read_text(encoding="utf-8"))
    extras = about["project"]["optional-dependencies"]
    lines = list(about["project"]["dependencies"]) if {*groups} & {*extras} else []
    for group in groups:
        lines += (extras | about.get("dependency-groups", {}))[group]
    found: list[str] = []
    for line in lines:
        name = name_of(line)
        of_ours = re.findall(r"\w+", line.removeprefix(name))
        found += requirements(*of_ours, project=name) if name in PROJECTS else [line]
    return list(dict.fromkeys(found))


def name_of(requirement: str) -> str:
    """Return the name of the package in a requirement or a pin."""
    return re.split(r"[^\w.-]", requirement, maxsplit=1)[0]


def pins(names: Iterable[str]) -> dict[str, str]:
    """Return the pins of these packages and of all their dependencies, by name, each with its
    hashes.

    The lock's comments name the packages that depend on each.
    """
    lines = re.findall(r"^\S.*\n(?: .*\n)*", LOCK.read_text(encoding="utf-8"), re.MULTILINE)
    pinned = {name_of(pin): pin for pin in lines}
    found = set[str]()
    more = set(names)
    while more:
        found |= more
        more = {
            name
            for name, pin in pinned.items()
            if found & {*re.findall(r"^ +#(?: via)? +([\w.-]+)$", pin, re.MULTILINE)}
        } - found
    return {name: pin for name, pin in pinned.items() if name in found}


def conda(names: Iterable[str]) -> str:
    """Return the channels and dependencies of a conda environment with these packages, as YAML."""
    pinned = pins(names)
    lines = [
        "channels: [conda-forge, bioconda, nodefaults]",
        "dependencies:",
        "  - python=3.11",
        "  - pip",
    ]
    by_pip = []
    for name in names:
        version = pinned[name].split()[0].partition("==")[2]
        if name in PIP:
            by_pip.append(f"      - {name}=={version}")
        else:
            lines.append(f"  - {'snakemake-minimal' if name == 'snakemake' else name}={version}")
    return "\n".join([*lines, "  - pip:", *by_pip] if by_pip else lines)


def files() -> dict[Path, str]:
    """Return the texts of environment.yml and of the environments of the rules."""
    names = sorted(map(name_of, requirements(*PARTS, "set-up")))
    texts = {ROOT / "environment.yml": CONDA.format(dependencies=conda(names))}
    for name, packages in OF_RULES.items():
        head = "# Made by `python -m study.dependencies`."
        texts[ROOT / f"rules/envs/{name}.yml"] = f"{head}\n{conda(sorted(packages))}\n"
    return texts


if __name__ == "__main__":
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
