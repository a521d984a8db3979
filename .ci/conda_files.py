"""Write the environments of conda: environment.yml, and the small ones of the rules.

Usage: .venv/bin/python .ci/conda_files.py
"""

import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts"))
from study.dependencies import PARTS, name_of, pins, requirements  # noqa: E402 - it is in scripts

# Packages that the channels of conda lack.
PIP = {"choix", "elote", "evalica", "gammonview", "gnubg", "whr", "xgdatatools"}
# Names there that differ from those of the Python index.
CONDA_NAMES = {"snakemake": "snakemake-minimal"}
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
# Made by `.ci/conda_files.py` from pyproject.toml and requirements.lock. The engine
# comes with it for 64-bit Linux; elsewhere install gnubg and faketime with the system's packages
# (named in CONTRIBUTING.md).
name: bgrating
{dependencies}
# Python finds the package and its Snakemake logger plugin here. mamba 2.0 does not read this:
# export it by hand.
variables:
  PYTHONPATH: scripts
"""


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
            lines.append(f"  - {CONDA_NAMES.get(name, name)}={version}")
    return "\n".join([*lines, "  - pip:", *by_pip] if by_pip else lines)


def files() -> dict[Path, str]:
    """Return the texts of environment.yml and of the environments of the rules."""
    names = sorted(map(name_of, requirements(*PARTS, "set-up")))
    texts = {ROOT / "environment.yml": CONDA.format(dependencies=conda(names))}
    for name, packages in OF_RULES.items():
        head = "# Made by `.ci/conda_files.py`."
        texts[ROOT / f"rules/envs/{name}.yml"] = f"{head}\n{conda(sorted(packages))}\n"
    return texts


if __name__ == "__main__":
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
