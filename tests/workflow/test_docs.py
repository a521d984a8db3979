"""Documents: examples run, figures are those of the tables, and links lead somewhere."""

import argparse
import doctest
import importlib
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import click
import pytest
from click.testing import CliRunner
from planned import rule_names
from snakemake.cli import get_argument_parser

import sentences
from bgrating import BgratingError
from bgrating.command import COMMANDS
from bgrating.engine.locate import Engine
from bgrating.index import KINDS
from bgrating.tables.dictionary import kinds
from commands import run
from corpus import cases, values
from repository_files import tracked
from study.__main__ import OWN as OF_THE_STUDY
from study.__main__ import parse_command
from study.documents import documents

EXAMPLES = """
import doctest, sys
failed = doctest.testfile(sys.argv[1], module_relative=False, optionflags=doctest.ELLIPSIS).failed
import bgrating
assert bgrating.__file__.startswith(sys.argv[2]), bgrating.__file__
sys.exit(failed)
"""
MADE = {"human/<name>/people"}  # by runs
OF_THE_READER = "mine/"  # the folder that docs/study.md has them make
READ = (".md", ".yaml", ".toml", ".smk", ".py", ".j2", ".js", "run", "Containerfile")
NOT_READ = ("docs/preregistration", "CHANGELOG", "results/", "tests/", "docs/templates/")


@pytest.mark.slow
def test_the_examples_of_the_package_run_with_nothing_else(
    tmp_path: Path, project: Path, installed: Path
) -> None:
    command = [sys.executable, "-S", "-c", EXAMPLES, project / "docs/reference/api.md", installed]
    done = run(command, cwd=tmp_path, env={"PYTHONPATH": str(installed)})
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_walk_through_the_code_runs(
    project: Path, embedded: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    found = doctest.testfile(str(project / "docs/develop/architecture.md"), module_relative=False)
    assert found.attempted > 8
    assert found.failed == 0


def commands_of(project: Path) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield each command of a document: its page, its name and its other words.

    An option that is named alone comes with the names of all commands before it on its page.
    """
    for page in (
        project / "README.md",
        project / "CONTRIBUTING.md",
        *sorted(project.glob("docs/**/*.md")),
    ):
        if page.name.startswith("preregistration") or page.parent.name == "develop":
            continue
        # tables.md names options of what made a table.
        before = list(COMMANDS) if page.name == "tables.md" else []
        for block, span in re.findall(
            r"^```\w*\n(.*?)^```|`([^`]+)`", page.read_text(encoding="utf-8"), re.M | re.S
        ):
            for line in block.splitlines() if block else [" ".join(span.split())]:
                if re.match(r"(\$ )?\s*(\./run|bgrating) [a-z]", line):
                    _, name, *words = shlex.split(line.strip().removeprefix("$ "))
                    before.append(name)
                    yield page.name, [name], words
                elif before and line.startswith("--"):
                    yield page.name, list(dict.fromkeys(before)), shlex.split(line)


def accept(name: str, words: list[str], project: Path, options: argparse.Namespace) -> None:
    """Parse `./run NAME WORDS`, and run it if it is calc. Raises BgratingError or a ClickException
    if it is none.

    Of what lacks arguments, or names what is the reader's, only the options are looked at.
    """
    if name == "test":
        for word in words:
            if word.startswith("--") and not hasattr(options, word.removeprefix("--")):
                raise BgratingError(f"pytest has no {word}")
    elif name in {*COMMANDS, *OF_THE_STUDY}:
        module, _ = {**COMMANDS, **OF_THE_STUDY}[name]
        command: click.Command = importlib.import_module(module).command
        is_whole = len(words) > 2 or (words != [] and not words[0].startswith("--"))
        is_whole &= not re.search(r"\b[A-Z]{3,}\b|/mnt/", " ".join(words))
        known = {option for parameter in command.params for option in parameter.opts}
        if unknown := [word for word in words if re.match("--[a-z]", word) and word not in known]:
            raise click.UsageError(f"{name} has no {unknown[0]}")
        if is_whole:
            command.make_context(name, list(words))
        if name == "calc" and is_whole:
            assert CliRunner().invoke(command, words).exit_code == 0
    elif name not in {"bench", "fuzz", "release", "set-up"}:
        _, others = parse_command([name, *words], Path.cwd(), project)
        parser = get_argument_parser()
        parser.error = _refuse  # type: ignore[method-assign] # it would end the process
        options, unknown = parser.parse_known_args(others)
        if unknown or not set(options.targets) <= set(rule_names(project)):
            raise click.UsageError(f"neither target nor option: {unknown or options.targets}")


def _refuse(message: str) -> NoReturn:
    raise click.UsageError(message)


def test_every_command_and_option_that_a_document_names_is_one(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "matches").mkdir()
    (tmp_path / "bgrating-results" / "human" / "club").mkdir(parents=True)
    wrong, seen = [], 0
    for page, names, words in commands_of(project):
        for word in words:
            if re.fullmatch(r"[\w-]+\.[a-z]{2,5}", word):
                Path(word).touch()
        # `run` itself takes --no-apt, beside any command.
        given = [word for word in words if word != "--no-apt"]
        refused = []
        for name in names:
            try:
                accept(name, given, project, pytestconfig.option)
            except (BgratingError, click.ClickException) as problem:
                refused.append(str(problem))
        wrong += [(page, words, refused)] if len(refused) == len(names) else []
        seen += 1
    assert wrong == []
    assert seen > 80


@pytest.mark.slow
def test_the_example_of_rate_runs(
    project: Path, tmp_path: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    (example,) = re.findall(
        r"```python\n(.*?)```", (project / "docs/reference/api.md").read_text(), re.DOTALL
    )
    (tmp_path / "matches").mkdir()
    first, second = sorted((project / "examples").iterdir())[:2]
    shutil.copy(first, tmp_path / "matches")
    shutil.copy(second, tmp_path / "final.mat")
    monkeypatch.chdir(tmp_path)
    lines = example.replace("final.xg", "final.mat").splitlines()
    told: dict[str, Any] = {}
    exec("\n".join(lines[:-1]), told)
    assert len(eval(lines[-1], told)) > 1


def test_documents_have_the_figures_of_the_tables(project: Path) -> None:
    stale = [
        str(path.relative_to(project))
        for path, text in documents().items()
        if path.read_text() != text
    ]
    assert stale == [], "./run documents writes them"


def test_links_of_documents_lead_to_files(project: Path) -> None:
    pages = [*project.glob("*.md"), *project.glob("docs/**/*.md")]
    for page in pages:
        for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists(), f"{page.name} names {link}"


NAMED = re.compile(r"(?<![\w/.~:<>$-])(?:\.{1,2}/)*([\w<>-][\w.<>-]*(?:/[\w.<>*-]+)*)(?![\w{])")
PLACEHOLDER = re.compile(r"<[^>]*>|\b(?:NAME|DIR|NET|PART)\b|\*")
MODULE = re.compile(r"\b(?:bgduel|bgleague|bgmatch|bgrating|study)(?:\.[a-z_]+)+\b")
CODE = re.compile(r"\.(?:py|smk|j2|yaml|toml)$")


def test_paths_and_modules_that_are_named_exist(project: Path) -> None:
    """In documents, settings, rules and the product: our folders, files of code, modules."""
    files = tracked()
    paths = {path for file in files for path in (file, *map(str, Path(file).parents))} - {"."}
    paths |= {f"results/{name}/NAME" for name in KINDS} | {f"{kind}.csv" for kind in kinds()} | MADE
    # With their ends alone too, since a module names the one beside it, and without endings, as
    # tables are named.
    ends = {end for path in paths for end in ends_of(path)}
    ours = {Path(path).parts[-1] for path in paths if "." not in path} | {
        path.split("/")[0] for path in paths
    }
    gone = []
    for file in files:
        if not file.endswith(READ) or file.startswith(NOT_READ):
            continue
        text = (project / file).read_text(encoding="utf-8")
        text = re.sub(r"</?[a-z][^>]*>", " ", text) if file.endswith(".j2") else text
        words = {
            found[1].removeprefix("path/to/bgrating/").rstrip("/.")
            for found in NAMED.finditer(text)
        }
        words = {word for word in words if not word.startswith(OF_THE_READER)}
        dotted = () if file.endswith(".toml") else MODULE.finditer(text)
        modules = {found[0].replace(".", "/") for found in dotted}
        for word in words:
            if CODE.search(word) or ("/" in word and word.split("/")[0] in ours):
                pattern = "[^/]+".join(map(re.escape, PLACEHOLDER.split(word)))
                if word not in ends and not any(re.fullmatch(pattern, end) for end in ends):
                    gone.append((file, word))
        gone += [(file, name) for name in modules if not {name, name.rpartition("/")[0]} & ends]
    assert gone == []


def ends_of(path: str) -> Iterator[str]:
    """Yield the ends of a path from each of its folders on, with and without its suffix."""
    parts = Path(path).parts
    for place in range(len(parts)):
        yield "/".join(parts[place:])
        yield "/".join((*parts[place:-1], parts[-1].split(".")[0]))


def texts(project: Path) -> dict[str, list[str]]:
    """Return the sentences of documents, of templates of pages, and of help texts."""
    written = [*project.glob("*.md"), *project.glob("docs/**/*.md")]
    written += [*project.glob("*/README.md"), *project.glob("scripts/*/README.md")]
    found = {
        path.relative_to(project).as_posix(): [*sentences.of_markdown(path.read_text("utf-8"))]
        for path in written
        if not path.name.startswith("preregistration")
    }
    for path in project.glob("report/*.html.j2"):
        found[f"report/{path.name}"] = [*sentences.of_template(path.read_text("utf-8"))]
    ours = {name: module for name, (module, *_) in COMMANDS.items()}
    ours |= {name: module for name, (module, *_) in OF_THE_STUDY.items()}
    for name, module in ours.items():
        command: click.Command = importlib.import_module(module).command
        helps = [command.help or "", *(getattr(one, "help", "") or "" for one in command.params)]
        found[f"{name} --help"] = [one for text in helps for one in sentences.of_help(text)]
    found["help.txt"] = [
        *sentences.of_help((project / "scripts/study/help.txt").read_text("utf-8"))
    ]
    return found


def test_a_sentence_has_at_most_22_words(project: Path) -> None:
    long = [
        (name, sentences.words(one), one)
        for name, found in texts(project).items()
        for one in found
        if sentences.words(one) > sentences.MOST_WORDS
    ]
    assert long == []


def test_one_thing_has_one_word(project: Path) -> None:
    """In documents, pages and help texts; docs/glossary.md defines the words."""
    terms = values("terms")
    wrong = [
        (name, one, instead)
        for name, found in texts(project).items()
        for one in found
        for pattern, instead in terms["instead"].items()
        if name not in terms["allowed"].get(pattern, ())
        and re.search(pattern, sentences.prose(one), re.IGNORECASE)
    ]
    assert wrong == []


@pytest.mark.parametrize(("text", "counts"), cases("values.counted_words"))
def test_words_are_counted(text: str, counts: list[int]) -> None:
    found = [sentences.words(one) for one in sentences.of_markdown(text)]
    assert [count for count in found if count] == counts
