"""The project's habits: packages, and what no file may say. See CONTRIBUTING.md."""

import ast
import os
import re
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import yaml

import bgmatch
import bgrating
from commands import run
from corpus import values
from repository_files import tracked
from study.dependencies import PARTS, name_of, requirements

# Folders of one machine, and where packages come from: that is for each user's own configuration to
# say.
UNTOLD = re.compile(
    r"/root/|/home/\w|/Users/\w"
    r"|pypi\.org|pythonhosted|//[\w.-]*(?:pkg\.dev|artifactory|nexus)[\w./-]*"
    r"|--(?:extra-)?index-url|--find-links"
)


def files(project: Path) -> list[Path]:
    names = tracked("--cached", "--others", "--exclude-standard")
    return [project / name for name in names if (project / name).is_file()]


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
    used = (
        set().union(*(imports(path.read_text()) for path in sources))
        - own
        - sys.stdlib_module_names
    )
    distributions = packages_distributions()
    unknown = sorted(name for name in used if name not in distributions)
    assert not unknown, f"imported, but not installed: {unknown}"
    needed = {re.sub(r"[_.]", "-", distributions[name][0]).lower() for name in used}
    named = {*map(name_of, requirements(*PARTS, "set-up"))}
    assert sorted(needed - named) == [], "imported, but not in pyproject.toml"
    tools = {*values("values")["tools"]}
    assert sorted(named - needed - tools) == [], "in pyproject.toml, but nothing imports it"


def test_no_file_names_a_machine_or_a_package_index(project: Path) -> None:
    for path in files(project):
        found = UNTOLD.search(path.read_bytes().decode(errors="ignore"))
        assert found is None or path == Path(__file__), f"{path}: {found}"


def test_just_the_commands_are_executable(project: Path) -> None:
    executable = {
        str(path.relative_to(project)) for path in files(project) if os.access(path, os.X_OK)
    }
    assert executable == {"run", ".ci/run"}


def test_ci_has_the_packages_without_which_tests_are_skipped(project: Path) -> None:
    """The page's calculator was compared with Python only where node happened to be."""
    texts = "".join(
        path.read_text()
        for path in sorted((project / "tests").rglob("*.py"))
        if path != Path(__file__)
    )
    wanted = {
        name
        for found in re.findall(r"\(Debian: packages? ([^)]+)\)", texts)
        for name in found.split(" and ")
    }
    assert "nodejs" in wanted
    (packages,) = re.findall(
        r"^readonly PACKAGES=\(([^)]*)\)", (project / ".ci" / "run").read_text(), re.MULTILINE
    )
    assert wanted <= set(packages.split())


def test_versions_agree(project: Path) -> None:
    version = bgrating.__version__
    assert bgmatch.__version__ == version
    assert yaml.safe_load((project / "CITATION.cff").read_text())["version"] == version
    heading = re.search(r"^## \[([^]]+)\]", (project / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert heading
    assert heading[1] == version


def test_a_start_of_the_workflow_loads_no_statistics(project: Path) -> None:
    """Each job on a cluster starts Snakemake twice; statistics would double that time."""
    files = [project / "Snakefile", *project.glob("rules/*.smk")]
    rules = "\n".join(file.read_text(encoding="utf-8") for file in files)
    lines = sorted(set(re.findall(r"^from (?:bgrating|study)\S* import .*$", rules, re.MULTILINE)))
    assert len(lines) > 2
    asked = (
        "import sys\nprint(sorted({'scipy', 'statsmodels', 'matplotlib', 'pandas'} &"
        " set(sys.modules)))"
    )
    code = "\n".join(
        [f"import sys; sys.path.insert(0, {str(project / 'scripts')!r})", *lines, asked]
    )
    done = run([sys.executable, "-c", code])
    assert done.stdout.strip() == "[]", done.stderr


def test_a_job_that_plays_or_analyses_loads_no_tables(project: Path) -> None:
    """Every shard starts two such jobs; pandas would take longer than their engines do to start."""
    asks = (
        "import sys, study.jobs.play_shard, study.jobs.analyse_shard\nprint({'pandas', 'pyarrow', 'numpy'} &"
        " set(sys.modules))"
    )
    done = run([sys.executable, "-c", asks], cwd=project / "scripts")
    assert done.stdout.strip() == "set()", done.stderr


def test_public_functions_that_are_more_than_trivial_have_a_docstring(project: Path) -> None:
    for path in sorted((project / "scripts").rglob("*.py")):
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef) and not function.name.startswith("_"):
                is_trivial = sum(isinstance(part, ast.stmt) for part in ast.walk(function)) <= 11
                assert is_trivial or ast.get_docstring(function), f"{path}: {function.name}"


def test_every_rule_has_an_environment(project: Path) -> None:
    rules = "\n".join(file.read_text(encoding="utf-8") for file in project.glob("rules/*.smk"))
    for file in [project / "Snakefile", *sorted((project / "rules").glob("*.smk"))]:
        text = file.read_text(encoding="utf-8")
        for block in re.split(r"^(?=rule |use rule )", text, flags=re.MULTILINE)[1:]:
            named = re.search(r'conda:\n\s+f"\{ENVS\}/(.+)"', block)
            used = re.match(r"use rule (\w+) as", block)
            if named:
                assert (project / "rules" / "envs" / named[1]).is_file(), block
            elif used:
                assert re.search(rf"^rule {used[1]}:", rules, re.MULTILINE), block
