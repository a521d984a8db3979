"""What ./run hands its words to: a command of the product, or Snakemake with the rules of the study.

Every setting of config/schemas/config.schema.yaml is a flag here, one `--setting value` each, and becomes Snakemake's
--config. Paths start at the caller's folder. What is not known here goes to Snakemake unchanged, with all its options.
"""

import argparse
import contextlib
import importlib
import io
import json
import os
import re
import signal
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import click

from bgrating import BgratingError
from bgrating.command import COMMANDS, INTERRUPTED, STOPPED, end, lacking, main
from bgrating.places import CALLER
from bgrating.suggestion import did_you_mean
from study.lock import hold

OWN = {
    "people": "study.people.command", "verify": "study.verify", "documents": "study.documents",
    "judges": "study.people.judge", "release": "study.release", "xg": "study.people.xg",
    "quiz": "study.people.quiz", "likelihood": "study.people.likelihood",
}  # fmt: skip
"""Commands that need no Snakemake around them, and the modules that have them as `command`."""
SHORT = {"analysis": "level", "coefficients": "formula"}
PATHS = {"aliases", "collection", "results"}
"""Settings that are paths; `coefficients` and `engine` are where a file of that name is there."""
PATTERNS = {"aliases", "coefficients", "results"}
"""Settings whose paths are inputs or outputs of rules."""


class UsageError(BgratingError):
    """The command line names an unknown command, target or option."""


def run() -> NoReturn:
    """Run the command and exit with its status; what the user can mend is one sentence and status 1."""
    caller = Path(os.environ.get(CALLER) or Path.cwd())
    words = sys.argv[1:]
    if words[:1] == ["open"] and not {"-h", "--help"} & {*words}:
        _make_pages()
    project = Path.cwd()
    if words and words[0] in {*COMMANDS, *OWN, "--version"}:
        os.chdir(caller)
    if words and (words[0] in COMMANDS or words[0] == "--version"):
        main(words, "./run")
    try:
        sys.exit(run_own(*words) if words and words[0] in OWN else _snakemake(words, project, caller))
    except BgratingError as problem:
        end(str(problem), 1)
    except ImportError as problem:
        end(lacking(problem), 1)


def run_own(name: str, *words: str) -> int:
    """Run a command of OWN and return its status. Raises UsageError naming what it does not take."""
    command: click.Command = importlib.import_module(OWN[name]).command
    try:
        return command.main(words, f"./run {name}", standalone_mode=False) or 0
    except click.Abort:
        end(STOPPED, INTERRUPTED)
    except click.ClickException as problem:
        raise UsageError(f"{name}: {problem.format_message()} ./run {name} --help lists what there is") from problem


def _make_pages() -> None:
    """Make the pages of the project's results that are missing; what fails there is no reason to open none."""
    try:
        from study.pages import write_missing  # noqa: PLC0415 - it imports pandas

        write_missing(Path("results"))
    except ModuleNotFoundError as problem:
        print(f"bgrating: pages of the study are left out ({problem}): ./run set-up installs it", file=sys.stderr)
    except (BgratingError, OSError) as problem:
        print(f"bgrating: not every page could be made: {problem}", file=sys.stderr)


def _snakemake(words: Sequence[str], project: Path, caller: Path) -> int:
    """Run Snakemake in this process; return the exit status."""
    argparse.ArgumentParser.error = _refuse  # type: ignore[assignment,method-assign] # Snakemake's usage has 100 lines
    if words and not words[0].startswith("-"):
        _check_target(words[0], rule_names(project), caller)
    settings, others = parse_command(words, caller, project)
    from snakemake import cli  # noqa: PLC0415 - it takes seconds, which a mistake need not wait for

    hold()
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) == signal.SIG_DFL:
        # A terminal that is closed ends a run as SIGTERM does: Snakemake takes that one, and leaves nothing half done.
        signal.signal(signal.SIGHUP, lambda *_: os.kill(os.getpid(), signal.SIGTERM))
    try:
        with contextlib.redirect_stderr(io.StringIO()):  # it names the profile that it takes
            parser, options = cli.parse_args(others)
        options.config = [*(options.config or []), *settings]
        return 0 if cli.args_to_api(options, parser) else 1
    except UsageError:
        raise
    except Exception as problem:  # as Snakemake's own main does
        cli.print_exception(problem)
        return 1


def parse_command(words: Sequence[str], caller: Path, project: Path) -> tuple[list[str], list[str]]:
    """Return the settings among the words, as Snakemake's --config takes them, and the other words: Snakemake's."""
    known, others = flags().parse_known_args(list(words))
    settings = {key: value for key, value in vars(known).items() if value is not None}
    for key in PATTERNS & set(settings):
        if set("{}") & set(settings[key]):
            raise UsageError(f"--{key} {settings[key]}: Snakemake takes braces for wildcards; choose another path")
    return [f"{key}={_from(caller, project, key, value)}" for key, value in settings.items()], others


def flags() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="./run TARGET", allow_abbrev=False, epilog="All options of Snakemake too: .venv/bin/snakemake --help"
    )
    for key, schema in _schema().items():
        names = dict.fromkeys(
            [f"--{key}", f"--{key.replace('_', '-')}", *([f"--{SHORT[key]}"] if key in SHORT else [])]
        )
        parser.add_argument(*names, dest=key, metavar="VALUE", help=schema.get("description"))
    return parser


def rule_names(project: Path) -> list[str]:
    files = [project / "Snakefile", *sorted(project.glob("rules/*.smk"))]
    texts = "\n".join(file.read_text(encoding="utf-8") for file in files)
    return re.findall(r"^rule (\w+):", texts, re.MULTILINE) + re.findall(r'^    "(\w+)": ', texts, re.MULTILINE)


def _schema() -> Mapping[str, Any]:
    from bgrating.settings import SCHEMAS, load_yaml  # noqa: PLC0415 - the product's commands need no settings

    properties: Mapping[str, Any] = load_yaml(SCHEMAS / "config.schema.yaml")["properties"]
    return properties


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
        names = [*rules, *COMMANDS, *OWN, "set-up", "test"]
        raise UsageError(f"there is no target {target}{did_you_mean(target, names)}; ./run --help lists them")


def _refuse(_: argparse.ArgumentParser, message: str) -> NoReturn:
    raise UsageError(f"{message}; ./run --help lists what there is")


if __name__ == "__main__":
    run()
