"""What `pip install` gives: the command and the package, with their data, in any folder."""

import os
import sys
import tomllib
from importlib.metadata import distribution, packages_distributions, requires
from pathlib import Path

import click
import openpyxl
import pytest
from pip._vendor.packaging.requirements import Requirement
from test_distributions import empty_environment
from test_habits import imports

import bgrating
from bgrating.engine.locate import Engine
from commands import Done, of_user, run
from corpus import cases
from short_match import match
from study.dependencies import name_of, requirements

OURS = ("bgduel", "bgleague", "bgmatch", "bgrating")
"""The packages of both wheels."""
LIGHT = """
import sys
sys.path[:0] = sys.argv[1:3]
sys.argv[1:] = sys.argv[3:]
from bgrating.command import main
main()
"""
ALONE = """
import sys
sys.path.insert(0, sys.argv[1])
import pytest
sys.exit(pytest.main(sys.argv[2:]))
"""
READ = """
from bgrating.rating.result_files import population_table, formula_file
from bgrating.rating.formula_of_2003 import published_formula
published_formula("bilinear")
formulas = [formula_file("fitted", nets) for nets in ("1.08", "1.07.001")]
for path in [*formulas, population_table("1.08")]:
    assert path.is_file(), path
"""
RATE = """
import bgrating
rated = bgrating.rate("a.mat", luck=False, formula="published", store=False)
print(len(rated.files), len(rated.matches), sorted(rated.players["player"]), len(rated.decisions) > 0)
print(rated.failed_here)
"""


def python(site: Path, folder: Path, *words: str) -> Done:
    """Run Python with the installed package, beside the tests' packages, from a folder."""
    return run([sys.executable, *words], cwd=folder, env=of_user(folder, PYTHONPATH=str(site)))


def light(site: Path, folder: Path, *words: str) -> Done:
    """Run the installed command where there is nothing but click."""
    only = folder / "only"
    only.mkdir(exist_ok=True)
    if not (only / "click").exists():
        (only / "click").symlink_to(Path(click.__file__).parent)
    return run([sys.executable, "-S", "-c", LIGHT, site, only, *words], cwd=folder, env={})


@pytest.mark.parametrize(
    ("of", "packages", "data"),
    [
        (".", ("bgduel", "bgleague", "bgrating"), {"bgrating.data"}),
        ("scripts/bgmatch", ("bgmatch",), set()),
    ],
)
def test_a_wheel_has_every_room_of_its_packages(
    project: Path, of: str, packages: tuple[str, ...], data: set[str]
) -> None:
    about = tomllib.loads((project / of / "pyproject.toml").read_text(encoding="utf-8"))
    scripts = project / "scripts"
    files = [path for package in packages for path in (scripts / package).rglob("__init__.py")]
    rooms = {".".join(path.parent.relative_to(scripts).parts) for path in files}
    assert set(about["tool"]["setuptools"]["packages"]) == data | rooms


def test_the_extras_name_what_the_product_imports(project: Path) -> None:
    paths = [path for package in OURS for path in (project / "scripts" / package).rglob("*.py")]
    sources = [path.read_text(encoding="utf-8") for path in paths]
    used = set().union(*map(imports, sources)) - {*OURS} - sys.stdlib_module_names
    distributions = packages_distributions()
    needed = {distributions.get(name, [name])[0].lower().replace("_", "-") for name in used}
    rate = {*map(name_of, requirements("rate"))}
    ratings = {*map(name_of, requirements("ratings"))} - rate
    serve = {*map(name_of, requirements("serve"))} - rate - ratings
    # bgsage is an extra of its own; what rates tournaments is of the study, as Snakemake is that
    # starts it. Nothing imports matplotlib, but a picture of outcomes is labelled in its font.
    assert rate | ratings | serve - {"python-multipart"} == needed - {"bgsage", "statsmodels"} | {
        "matplotlib"
    }


def test_the_light_package_calculates_and_names_the_extra(installed: Path, tmp_path: Path) -> None:
    done = light(installed, tmp_path, "calc", "--length", "7", "--pr", "6,5")
    assert done.returncode == 0, done.stderr
    assert "XG's rule, 33 points per PR\n  rating 1836" in done.stdout
    for words, extra in cases("values.extras_of_commands"):
        done = light(installed, tmp_path, *words)
        assert done.returncode == 1
        assert len(done.stderr.splitlines()) == 1
        remedy = f"in a clone of bgrating: pip install ./scripts/bgmatch '.[{extra}]'\n"
        assert done.stderr.endswith(f"; {words[0]} needs an extra; {remedy}")


@pytest.mark.parametrize(("closed", "out", "err"), cases("values.closed_streams"))
@pytest.mark.parametrize(("words", "status"), cases("values.commands_and_statuses"))
def test_a_closed_stream_is_one_clean_exit(
    installed: Path, tmp_path: Path, closed: str, out: bool, err: bool, words: str, status: int
) -> None:
    (tmp_path / "a.mat").write_text(match())
    shell = ["/bin/sh", "-c", f'"$0" -m bgrating {words} {closed}', sys.executable]
    done = run(shell, cwd=tmp_path, env={"HOME": str(tmp_path), "PYTHONPATH": str(installed)})
    assert done.returncode == status
    assert bool(done.stdout) == (out and not status)
    assert done.stderr.count("\n") == (err and status)


def test_the_installed_command_stands_alone(installed: Path, tmp_path: Path) -> None:
    done = python(installed, tmp_path, "-m", "bgrating", "--version")
    assert (done.stdout, done.stderr) == (f"bgrating {bgrating.__version__}\n", "")
    done = python(installed, tmp_path, "-m", "bgrating", "open")
    assert done.stderr == "bgrating: there is no page in bgrating-results yet: rate makes one\n"
    code = "from bgrating.places import CHECKOUT, DATA; print(CHECKOUT, DATA)"
    done = python(installed, tmp_path, "-c", code)
    assert done.stdout == f"None {installed}/bgrating/data\n"


def test_what_the_data_is_read_for_is_there(installed: Path, project: Path, tmp_path: Path) -> None:
    """Levels, engines, templates and formulas: all of a checkout's, or those that are read."""
    for folder in ("gnubg_configs", "config/schemas"):
        there, kept = installed / "bgrating/data" / folder, project / folder
        names = {path.relative_to(kept) for path in kept.rglob("*.yaml")}
        assert {path.relative_to(there) for path in there.rglob("*.yaml")} == names
    done = python(installed, tmp_path, "-c", READ)
    assert done.returncode == 0, done.stderr


def test_match_files_are_rated_in_any_folder(
    installed: Path, tmp_path: Path, engine: Engine
) -> None:
    (tmp_path / "ann and bob.mat").write_text(match())
    done = python(installed, tmp_path, "-m", "bgrating", "rate", "ann and bob.mat")
    assert done.returncode == 0, done.stderr
    assert "ann" in done.stdout
    assert (tmp_path / "bgrating-results/human/ann-and-bob/players.csv").is_file(), done.stdout
    assert list(tmp_path.rglob("*.sqlite*")) != []  # the store, in the user's cache folder
    done = python(installed, tmp_path, "-m", "bgrating", "open")
    assert done.stdout == "Page: bgrating-results/index.html\n", done.stderr


def test_python_rates_match_files_and_writes_nothing(
    installed: Path, tmp_path: Path, engine: Engine
) -> None:
    (tmp_path / "a.mat").write_text(match())
    done = python(installed, tmp_path, "-c", RATE)
    assert done.stdout == "1 2 ['ann', 'bob'] True\n[]\n", done.stderr
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["a.mat"]


@pytest.mark.slow
def test_the_reader_stands_alone(installed: Path, project: Path, tmp_path: Path) -> None:
    """Its tests pass with nothing but pytest and hypothesis, and it says what a format needs."""
    only = tmp_path / "only"
    only.mkdir()
    (only / "bgmatch").symlink_to(installed / "bgmatch")
    for path in modules_of_distributions("pytest", "hypothesis"):
        (only / path.name).symlink_to(path)
    tests = ["-c", project / "scripts/bgmatch/pyproject.toml", "-p", "no:cacheprovider"]
    tests.append(project / "tests/unit/bgmatch")
    done = run([sys.executable, "-S", "-c", ALONE, only, *tests], cwd=project, env={})
    assert done.returncode == 0, done.stdout
    for suffix, extra in ((".xg", "xg"), (".bgf", "bgf")):
        asks = f"import bgmatch; bgmatch.read_file(b'', {suffix!r})"
        done = run([sys.executable, "-S", "-c", asks], env={"PYTHONPATH": str(only)})
        assert f"pip install './scripts/bgmatch[{extra}]'" in done.stderr.splitlines()[-1]


def modules_of_distributions(*names: str) -> set[Path]:
    """Return the modules and packages of distributions and of all that they need here."""
    found, more = set[str](), {*names}
    while more:
        found |= more
        needed = [Requirement(text) for name in more for text in requires(name) or ()]
        more = {
            one.name for one in needed if not one.marker or one.marker.evaluate({"extra": ""})
        } - found
    paths = set()
    for name in found:
        for file in distribution(name).files or ():
            is_needed = file.suffix in {".py", ".so"} or file.name == "METADATA"
            if is_needed and file.parts[0] not in {"..", "__pycache__"}:
                paths.add(Path(str(distribution(name).locate_file(file.parts[0]))))
    return paths


def test_python_names_the_extra(installed: Path) -> None:
    code = "import bgrating; bgrating.rate('x.mat')"
    done = run([sys.executable, "-S", "-c", code], env={"PYTHONPATH": str(installed)})
    assert done.stderr.splitlines()[-1].endswith("pip install ./scripts/bgmatch '.[rate]'")


@pytest.mark.nightly
@pytest.mark.parametrize("words", cases("values.commands_of_lowest_versions"))
def test_the_lowest_versions_that_are_declared_do(lowest: Path, tmp_path: Path, words: str) -> None:
    (tmp_path / "a.mat").write_text(match())
    games = [("2026-01-01", *pair) for pair in ("ab", "bc", "ca", "ba", "cb")]
    games.insert(0, ("date", "winner", "loser"))
    (tmp_path / "club.csv").write_text("".join(f"{','.join(game)}\n" for game in games))
    book = openpyxl.Workbook()
    for game in games:
        book.active.append(game)
    book.save(tmp_path / "club.xlsx")
    command = [lowest / "bgrating", *words.split()]
    done = run(command, cwd=tmp_path, env=of_user(tmp_path, PYTHONPATH=""))
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    assert done.stdout


def test_every_dependency_of_the_product_has_a_lowest_version() -> None:
    # Of xgdatatools there is one version.
    assert [line for line in requirements("serve") if "=" not in line] == ["xgdatatools"]


@pytest.fixture(scope="module")
def lowest(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the programs of an environment with the lowest versions that are declared."""
    place = tmp_path_factory.mktemp("lowest") / "environment"
    words = ["--resolution", "lowest-direct", f"{source}[serve]"]
    return empty_environment(place, *words).parent


@pytest.mark.nightly
@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_what_pip_installs_has_wheels_for_macos(project: Path, version: str) -> None:
    """The index lists a wheel of every package of every extra; the engine's needs macOS 14."""
    words = ["-q", "pyproject.toml", "--extra", "serve", "--only-binary", ":all:", "--no-header"]
    words += ["--no-binary", "bgmatch"]  # a folder of ours, which has no wheel
    words += ["--python-platform", "aarch64-apple-darwin", "--python-version", version]
    environment = os.environ | {"MACOSX_DEPLOYMENT_TARGET": "14.0"}
    done = run(["uv", "pip", "compile", *words], cwd=project, env=environment)
    assert done.returncode == 0, done.stderr
    found = {line.split("==")[0] for line in done.stdout.splitlines()}
    assert {"gnubg", "starlette", "gammonview"} <= found
