"""The project's habits: names of packages, and what no file may say. Linters are a step of CI. See CONTRIBUTING.md."""

import ast
import os
import re
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import yaml

import bgrating
from bgrating.command import COMMANDS
from study.__main__ import OWN
from tracked import tracked

# Used, but never imported here: the engine (in a process of its own), checks, type information, plugins that Snakemake
# finds, what its report needs.
TOOLS = {
    "gnubg",
    "mypy",
    "pandas-stubs",
    "pygments",
    "python-multipart",
    "pytest-xdist",
    "ruff",
    "setuptools",
    "snakefmt",
    "snakemake-executor-plugin-slurm",
    "types-jsonschema",
    "types-openpyxl",
    "types-pyyaml",
    "uv",
}
CONDA_NAMES = {"snakemake": "snakemake-minimal"}
# Not in conda-forge, or in an older version only.
NOT_IN_CONDA = {"choix", "elote", "evalica", "gammonview", "gnubg", "whr", "xgdatatools"}
# Folders of one machine, and where packages come from: that is for each user's own configuration to say.
UNTOLD = re.compile(
    r"/root/|/home/\w|/Users/\w"
    r"|pypi\.org|pythonhosted|//[\w.-]*(?:pkg\.dev|artifactory|nexus)[\w./-]*"
    r"|--(?:extra-)?index-url|--find-links"
)


def files(project: Path) -> list[Path]:
    names = tracked("--cached", "--others", "--exclude-standard")
    return [project / name for name in names if (project / name).is_file()]


def requirements(project: Path) -> set[str]:
    lines = (line.split("#")[0].strip() for line in (project / "requirements.in").read_text().splitlines())
    return {re.split(r"[ <>=~]", line)[0] for line in lines if line}


def locked(project: Path) -> dict[str, str]:
    return dict(re.findall(r"^([a-z0-9-]+)==([^ ]+)", (project / "requirements.lock").read_text(), re.MULTILINE))


def imports(source: str) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module.split(".")[0])
    return found


def test_what_is_imported_is_required_and_what_is_required_is_used(project: Path) -> None:
    sources = [path for path in files(project) if path.suffix == ".py"]
    own = {"bgrating", "bgsage", "gnubg", "pip", "snakemake_logger_plugin_bgrating", "study"} | {
        path.stem for path in sources
    }
    own |= {path.parent.name for path in sources if path.name == "__init__.py"}
    used = set().union(*(imports(path.read_text()) for path in sources)) - own - sys.stdlib_module_names
    distributions = packages_distributions()
    unknown = sorted(name for name in used if name not in distributions)
    assert not unknown, f"imported, but not installed: {unknown}"
    needed = {re.sub(r"[_.]", "-", distributions[name][0]).lower() for name in used}
    assert sorted(needed - requirements(project)) == [], "imported, but not in requirements.in"
    assert sorted(requirements(project) - needed - TOOLS) == [], "in requirements.in, but nothing imports it"


def test_the_lock_pins_every_requirement_and_holds_names_versions_and_hashes_only(project: Path) -> None:
    assert not requirements(project) - locked(project).keys(), "in requirements.in, but not in requirements.lock"
    line = re.compile(r"## .*|[a-z0-9-]+==[^ ]+( ; .*)? \\|    --hash=sha256:[0-9a-f]{64}( \\)?")
    assert [text for text in (project / "requirements.lock").read_text().splitlines() if not line.fullmatch(text)] == []


def test_the_conda_environment_equals_the_lock(project: Path) -> None:
    environment = yaml.safe_load((project / "environment.yml").read_text())
    python, *packages, by_pip = environment["dependencies"]
    assert python.startswith("python=3.")
    versions = locked(project)
    names = requirements(project) - {"setuptools"}
    assert set(packages) == {"pip"} | {
        f"{CONDA_NAMES.get(name, name)}={versions[name]}" for name in names - NOT_IN_CONDA
    }
    assert set(by_pip["pip"]) == {f"{name}=={versions[name]}" for name in NOT_IN_CONDA}
    assert environment["variables"] == {"PYTHONPATH": "scripts"}


def test_no_file_names_a_machine_or_a_package_index(project: Path) -> None:
    found = []
    for path in files(project):
        if path == Path(__file__):
            continue
        text = path.read_bytes().decode(errors="ignore")
        found += [f"{path.relative_to(project)}: {match[0]}" for match in UNTOLD.finditer(text)]
    assert found == []


def test_just_the_commands_are_executable(project: Path) -> None:
    executable = {str(path.relative_to(project)) for path in files(project) if os.access(path, os.X_OK)}
    assert executable == {"run", ".ci/run"}


def test_ci_has_the_packages_without_which_tests_are_skipped(project: Path) -> None:
    """The page's calculator was compared with Python only where node happened to be."""
    texts = "".join(path.read_text() for path in sorted((project / "tests").rglob("*.py")) if path != Path(__file__))
    wanted = {name for found in re.findall(r"\(Debian: packages? ([^)]+)\)", texts) for name in found.split(" and ")}
    assert "nodejs" in wanted
    (packages,) = re.findall(r"^readonly PACKAGES=\((.*)\)", (project / ".ci" / "run").read_text(), re.MULTILINE)
    assert wanted <= set(packages.split())


def test_the_targets_that_help_names_exist(project: Path) -> None:
    text = subprocess.run([project / "run", "--help"], capture_output=True, text=True, check=True).stdout
    named = set(re.findall(r"^  ([a-z]+) ", text, re.MULTILINE)) - {"bench", "fuzz", "test", *OWN}
    assert set(COMMANDS) <= named
    named -= set(COMMANDS)
    assert len(named) >= 7
    snakemake = Path(sys.executable).with_name("snakemake")
    listed = subprocess.run([snakemake, "--list"], cwd=project, capture_output=True, text=True, check=True).stdout
    assert named - set(listed.split()) == set()


def test_versions_agree(project: Path) -> None:
    version = bgrating.__version__
    assert yaml.safe_load((project / "CITATION.cff").read_text())["version"] == version
    heading = re.search(r"^## \[([^]]+)\]", (project / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert heading
    assert heading[1] == version


def test_a_start_of_the_workflow_loads_no_statistics(project: Path) -> None:
    """Each job on a cluster starts Snakemake twice; scipy and statsmodels would double the time that takes."""
    files = [project / "Snakefile", *project.glob("rules/*.smk")]
    rules = "\n".join(file.read_text(encoding="utf-8") for file in files)
    lines = sorted(set(re.findall(r"^from (?:bgrating|study)\S* import .*$", rules, re.MULTILINE)))
    assert len(lines) > 8
    asked = "import sys\nprint(sorted({'scipy', 'statsmodels', 'matplotlib', 'pandas'} & set(sys.modules)))"
    code = "\n".join([f"import sys; sys.path.insert(0, {str(project / 'scripts')!r})", *lines, asked])
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"


def test_public_functions_that_are_more_than_trivial_have_a_docstring(project: Path) -> None:
    bare = [
        f"{path.relative_to(project)}: {function.name}"
        for path in sorted((project / "scripts").rglob("*.py"))
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(function, ast.FunctionDef) and not function.name.startswith("_")
        if not ast.get_docstring(function) and sum(isinstance(part, ast.stmt) for part in ast.walk(function)) > 11
    ]
    assert bare == []
