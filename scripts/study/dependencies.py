"""The one list of dependencies: groups in pyproject.toml, versions with hashes in requirements.lock.

`python -m study.dependencies` writes environment.yml, the same for conda, and the small environments of the rules.
"""

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOCK = ROOT / "requirements.lock"
PARTS = ("rate", "ratings", "serve", "study")
"""What ./run installs, each with those before it: three extras and a dependency group."""
PIP = {"choix", "elote", "evalica", "gammonview", "gnubg", "whr", "xgdatatools"}
"""Packages that the channels of conda lack."""
_TABLES = ("jsonschema", "numpy", "pandas", "pyarrow", "pyyaml", "referencing")
_PEOPLE = ("filelock", "gammonview", "platformdirs", "xgdatatools")
_STATISTICS = (*_TABLES, "scipy", "statsmodels")
OF_RULES = {
    "engine": (*_TABLES, *_PEOPLE, "gnubg", "pyelftools"),
    "statistics": _STATISTICS,
    "pages": (*_STATISTICS, *_PEOPLE, "jinja2", "markupsafe", "matplotlib"),
}
"""What the jobs of a rule import: rules/envs/<name>.yml."""
CONDA = """\
# conda env create -f environment.yml && conda activate bgrating
# Made by `python -m study.dependencies` from pyproject.toml and requirements.lock. The engine comes with it for 64-bit
# Linux; elsewhere install gnubg and faketime with the system's packages (named in CONTRIBUTING.md).
name: bgrating
{dependencies}
# Python finds the package and its Snakemake logger plugin here. mamba 2.0 does not read this: export it by hand.
variables:
  PYTHONPATH: scripts
"""


def requirements(*groups: str) -> list[str]:
    """Return the direct dependencies, as pyproject.toml words them, of extras and dependency groups."""
    about = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = about["project"]["optional-dependencies"]
    found = list(about["project"]["dependencies"]) if {*groups} & {*extras} else []
    for group in groups:
        for line in (extras | about["dependency-groups"])[group]:
            extra = re.fullmatch(r"bgrating\[(\w+)\]", line)
            found += requirements(extra[1]) if extra else [line]
    return list(dict.fromkeys(found))


def name_of(requirement: str) -> str:
    """Return the name of the package that a requirement or a pin is for."""
    return re.split(r"[^\w.-]", requirement, maxsplit=1)[0]


def pins(names: Iterable[str]) -> dict[str, str]:
    """Return the pins of these packages and of all that they need, by name, each with its hashes.

    The lock's comments tell which packages need one.
    """
    found = re.findall(r"^\S.*\n(?: .*\n)*", LOCK.read_text(encoding="utf-8"), re.MULTILINE)
    pinned = {name_of(pin): pin for pin in found}
    wanted = set(names)
    while (
        more := {
            name
            for name, pin in pinned.items()
            if wanted & {*re.findall(r"^ +#(?: via)? +([\w.-]+)$", pin, re.MULTILINE)}
        }
        - wanted
    ):
        wanted |= more
    return {name: pin for name, pin in pinned.items() if name in wanted}


def conda(names: Iterable[str]) -> str:
    """Return the channels and dependencies of an environment of conda with these packages, as YAML."""
    pinned = pins(names)
    versions = {name: pinned[name].split()[0].partition("==")[2] for name in names}
    lines = ["channels: [conda-forge, bioconda, nodefaults]", "dependencies:", "  - python=3.11", "  - pip"]
    lines += [
        f"  - {'snakemake-minimal' if name == 'snakemake' else name}={version}"
        for name, version in versions.items()
        if name not in PIP
    ]
    by_pip = [f"      - {name}=={version}" for name, version in versions.items() if name in PIP]
    return "\n".join([*lines, "  - pip:", *by_pip] if by_pip else lines)


def environment() -> str:
    """Return the text of environment.yml."""
    names = [name_of(line) for line in requirements(*PARTS, "set-up")]
    return CONDA.format(dependencies=conda(sorted(names)))


def files() -> dict[Path, str]:
    """Return the files that are made from the list, with their texts."""
    head = "# Made by `python -m study.dependencies`.\n"
    of_rules = {ROOT / f"rules/envs/{name}.yml": f"{head}{conda(sorted(names))}\n" for name, names in OF_RULES.items()}
    return {ROOT / "environment.yml": environment(), **of_rules}


if __name__ == "__main__":
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
