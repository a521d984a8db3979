"""The command: `./run` hands its arguments on to this once the project is set up; Snakemake lies beneath.

Plain flags are the settings of config/schemas/config.schema.yaml, one `--setting value` each, and become Snakemake's
--config. Paths start where the caller stands (BGRATING_CALLER, which ./run sets). What is not known here goes to
Snakemake unchanged, with all its options.
"""

import argparse
import contextlib
import difflib
import io
import json
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from bgrating import BgratingError
from bgrating.settings import SCHEMAS, load_yaml

# Targets that take paths, and the setting that holds them.
TAKES = {"human": "collection", "people": "collection", "ratings": "games"}
ALIASES = {"rate": "human"}
SHORT = {"level": "analysis", "formula": "coefficients"}
PATHS = {"collection", "games", "aliases", "resume", "results", "merge"}
"""Settings that are paths; `coefficients` and `engine` are where a file of that name is there."""
OWN = {
    "calc": "bgrating.rating.command",
    "open": "bgrating.index",
    "verify": "study.verify",
}
"""Commands that need no Snakemake around them, and the modules whose main(arguments, caller) they are."""


class UsageError(BgratingError):
    """The command line asks for something that there is not."""


@dataclass(frozen=True)
class Request:
    """What is asked of Snakemake: its own words, and the targets and settings that our words stand for."""

    words: list[str]
    targets: list[str]
    settings: list[str]


def main() -> None:
    """Run the command and exit with its status; a user's mistake is one sentence and status 1."""
    caller = Path(os.environ.get("BGRATING_CALLER") or Path.cwd())
    arguments = sys.argv[1:]
    try:
        if arguments and arguments[0] in OWN:
            module = __import__(OWN[arguments[0]], fromlist=["main"])
            sys.exit(module.main(arguments[1:], caller))
        sys.exit(_snakemake(arguments, Path.cwd(), caller))
    except BgratingError as problem:
        print(f"bgrating: {problem}", file=sys.stderr)
        sys.exit(1)


def _snakemake(arguments: Sequence[str], project: Path, caller: Path) -> int:
    """Run Snakemake in this process; return the exit status."""
    rules = rule_names(project)
    if arguments and not arguments[0].startswith("-"):
        _check_target(ALIASES.get(arguments[0], arguments[0]), rules, caller)
    from snakemake import cli  # noqa: PLC0415 - it takes seconds, which `calc` and `open` need not wait for

    from bgrating.runs import recorded_run  # noqa: PLC0415

    request = understood(arguments, parser := snakemake_parser(), rules, caller, project)
    if "-h" in request.words or "--help" in request.words:
        parser.parse_args(["--help"])
    try:
        with contextlib.redirect_stderr(io.StringIO()):  # it says which profile it takes
            parser, asked = cli.parse_args(request.words)
        asked.targets = request.targets
        asked.config = [*(asked.config or []), *request.settings]
        with recorded_run(project) as cleared:
            for sentence in cleared:
                print(f"bgrating: {sentence}", file=sys.stderr)
            return 0 if cli.args_to_api(asked, parser) else 1
    except Exception as problem:  # as Snakemake's own main does
        cli.print_exception(problem)
        return 1


def understood(
    arguments: Sequence[str], parser: argparse.ArgumentParser, rules: Iterable[str], caller: Path, project: Path
) -> Request:
    """Turn the arguments into Snakemake's words, targets and settings.

    `parser` is Snakemake's, which tells its options from targets. Raises UsageError naming what is not known.
    """
    ours = flags()
    known, words = ours.parse_known_args(list(arguments))
    asked, unknown = parser.parse_known_args(words)
    if unknown:
        options = [option for one in (ours, parser) for action in one._actions for option in action.option_strings]
        raise UsageError(f"there is no option {unknown[0]}{_like(unknown[0], options)}; ./run --help lists them")
    targets = [ALIASES.get(target, target) for target in asked.targets]
    settings = {key: value for key, value in vars(known).items() if value is not None and not key.startswith("no_")}
    if known.no_luck:
        settings["analysis"] = f"{settings.get('analysis', '0-ply')}-no-luck"
    if targets and targets[0] in TAKES:
        targets, paths = _paths(targets, rules, caller)
        if paths:
            settings[TAKES[targets[0]]] = _one_path(targets[0], paths, settings, project)
        named = [entry.partition("=")[0] for entry in asked.config or []]
        if TAKES[targets[0]] not in {*settings, *named} and not asked.configfile and not _only_lists(asked):
            raise UsageError(_wants(targets[0]))
    for target in targets:
        _check_target(target, rules, caller)
    values = {key: _from(caller, project, key, value) for key, value in settings.items()}
    return Request(words, targets, [f"{key}={value}" for key, value in values.items()])


def snakemake_parser() -> argparse.ArgumentParser:
    """Return Snakemake's own parser; what it refuses is a UsageError, not pages of usage."""
    from snakemake.cli import get_argument_parser  # noqa: PLC0415 - it takes seconds

    parser: argparse.ArgumentParser = get_argument_parser()
    parser.error = _refuse  # type: ignore[method-assign]
    return parser


def flags() -> argparse.ArgumentParser:
    """Return the parser of our own flags: every setting of the schema, and the short names of some."""
    parser = argparse.ArgumentParser(prog="./run", add_help=False, allow_abbrev=False)
    parser.error = _refuse  # type: ignore[method-assign] # one sentence, not the usage
    short = {key: f"--{name}" for name, key in SHORT.items()}
    for key, schema in _schema().items():
        names = dict.fromkeys([f"--{key}", f"--{key.replace('_', '-')}", *([short[key]] if key in short else [])])
        parser.add_argument(*names, dest=key, metavar="VALUE", help=schema.get("description"))
    parser.add_argument("--no-luck", action="store_true", help="human: analyse without luck, nine times faster")
    parser.add_argument("--no-apt", action="store_true", help="for ./run: install nothing with apt")
    return parser


def rule_names(project: Path) -> list[str]:
    """Return the names of all rules of the project. Raises UsageError where it has no Snakefile."""
    if not (project / "Snakefile").is_file():
        raise UsageError(f"{project} has no Snakefile: start this in the project's folder")
    files = [project / "Snakefile", *sorted(project.glob("rules/*.smk"))]
    found = [
        re.findall(r"^(?:rule|checkpoint) (\w+):", file.read_text(encoding="utf-8"), re.MULTILINE) for file in files
    ]
    return [name for names in found for name in names]


def _schema() -> Mapping[str, Any]:
    properties: Mapping[str, Any] = load_yaml(SCHEMAS / "config.schema.yaml")["properties"]
    return properties


def _paths(targets: list[str], rules: Iterable[str], caller: Path) -> tuple[list[str], list[Path]]:
    """Tell paths from further targets: a word is a rule's name only where no file has it."""
    first, *others = targets
    paths = [word for word in others if (caller / word).exists() or word not in rules]
    for word in paths:
        if not (caller / word).exists():
            raise UsageError(f"there is no file or folder {caller / word}")
    return [first, *(word for word in others if word not in paths)], [(caller / word).resolve() for word in paths]


def _one_path(target: str, paths: Sequence[Path], settings: Mapping[str, str], project: Path) -> str:
    """Return the one path that a target takes; several are put together as links in a folder of the project."""
    if target == "ratings":
        if len(paths) > 1:
            raise UsageError("ratings takes one file; put several tables of games together first")
        if paths[0].is_dir():
            raise UsageError(f"{paths[0]} is a folder: ./run rate analyses match files; ratings takes a table of games")
    if len(paths) == 1:
        return str(paths[0])
    name = settings.get("name", f"{paths[0].stem}-and-{len(paths) - 1}-more")
    return str(linked(paths, project / ".snakemake" / "together" / name))


def linked(paths: Sequence[Path], folder: Path) -> Path:
    """Make a folder that holds links to these paths and nothing else; of one name several get numbers."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted: dict[str, Path] = {}
    for path in dict.fromkeys(paths):
        number = sum(name == path.name or name.endswith(f"-{path.name}") for name in wanted)
        wanted[f"{number + 1}-{path.name}" if number else path.name] = path
    for link in folder.iterdir():
        link.unlink()
    for name, path in wanted.items():
        (folder / name).symlink_to(path)
    return folder


def _from(caller: Path, project: Path, key: str, value: str) -> str:
    """Return a setting as Snakemake's --config takes it: text in quotes, paths from the caller's folder."""
    if _schema()[key].get("type") in ("integer", "number"):
        return value
    if key in PATHS or (key in {"coefficients", "engine"} and (caller / value).is_file()):
        path = (caller / value).absolute()
        value = str(path.relative_to(project)) if path.is_relative_to(project) and path != project else str(path)
    return json.dumps(value, ensure_ascii=False)


def _check_target(target: str, rules: Iterable[str], caller: Path) -> None:
    """Refuse what is neither a rule nor looks like a file that one makes. Raises UsageError."""
    if target in rules:
        return
    if (caller / target).is_dir() or ((caller / target).exists() and not Path(target).exists()):
        raise UsageError(f"{target} is no target; to rate the matches in it: ./run rate {target}")
    if not re.search(r"[./]", target):
        names = [*rules, *ALIASES, *OWN, "test"]
        raise UsageError(f"there is no target {target}{_like(target, names)}; ./run --help lists them")


def _like(word: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, list(known), n=1)
    return f": did you mean {close[0]}?" if close else ""


def _only_lists(asked: argparse.Namespace) -> bool:
    return bool(asked.list_rules or asked.list_target_rules or asked.lint or asked.unlock)


def _wants(target: str) -> str:
    if target == "ratings":
        return "ratings wants a table of games: ./run ratings FILE"
    name = "rate" if target == "human" else target
    return f"{name} wants match files, or a folder of them: ./run {name} DIR"


def _refuse(message: str) -> NoReturn:
    raise UsageError(f"{message}; ./run --help lists what there is")


if __name__ == "__main__":
    main()
