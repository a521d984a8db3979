"""The command line of ./run: commands of the product and of the study, and targets of Snakemake.

For a target, every setting of config/schemas/config.schema.yaml is a flag `--setting value` and
becomes Snakemake's --config. Paths are relative to the caller's folder. Snakemake gets all other
options unchanged.
"""

import contextlib
import importlib
import io
import json
import os
import re
import signal
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

import click

from bgrating import BgratingError
from bgrating.command import COMMANDS, INTERRUPTED, STOPPED, end, lacking, main
from bgrating.places import CALLER
from bgrating.suggestion import did_you_mean

# The modules of the commands that run without Snakemake; each has a `command`.
OWN = {
    "people": "study.people.command",
    "verify": "study.verify",
    "freeze": "study.freeze",
    "documents": "study.documents",
}
# Settings that are paths; `coefficients` and `engine` are paths if a file of that name exists.
PATHS = {"aliases", "collection", "results"}
# Settings whose paths are inputs or outputs of rules.
PATTERNS = {"aliases", "coefficients", "results"}
# The names of the pages that `open` makes.
PAGES = {"index.html", "report.html"}
# With these options of Snakemake a run has Snakemake's own log, and no progress bar.
OF_SNAKEMAKE = ("dryrun", "verbose", "debug_dag", "printshellcmds", "quiet")


class UsageError(BgratingError):
    """The command line names an unknown command, target or option."""


def run() -> NoReturn:
    """Run the command and exit with its status.

    An error that the user can correct is one sentence and status 1.
    """
    project = Path.cwd()
    caller = Path(os.environ.get(CALLER) or project)
    words = sys.argv[1:]
    name = words[0] if words else ""
    if name == "open" and may_open_study(words[1:], project, caller):
        _make_pages()
    if name in {*COMMANDS, *OWN, "--version"}:
        os.chdir(caller)
    if name in {*COMMANDS, "--version"}:
        main(words, "./run")
    try:
        sys.exit(run_own(*words) if name in OWN else _snakemake(words, project, caller))
    except BgratingError as problem:
        end(str(problem), 1)
    except ImportError as problem:
        end(lacking(problem, name), 1)


def run_own(name: str, *words: str) -> int:
    """Run a command of OWN and return its status. Raises UsageError for a wrong command line."""
    command: click.Command = importlib.import_module(OWN[name]).command
    try:
        return command.main(words, f"./run {name}", standalone_mode=False) or 0
    except click.Abort:
        end(STOPPED, INTERRUPTED)
    except click.ClickException as problem:
        raise UsageError(
            f"{name}: {problem.format_message()} ./run {name} --help lists what there is"
        ) from problem


def may_open_study(words: Sequence[str], project: Path, caller: Path) -> bool:
    """Return whether `open` with these words may show a page of the project's results, which may
    have to be made.
    """
    from bgrating.command.open import command  # noqa: PLC0415 - only `open` needs it

    try:
        given = command.make_context("open", list(words)).params
    except (
        click.UsageError,
        click.exceptions.Exit,
    ):  # the command itself prints the help or refuses
        return False
    if given["results"] or given["page"] is None:
        return given["results"] is None
    page = (caller / given["page"]).resolve()
    is_there = page.exists() or (page.name in PAGES and page.parent.is_dir())
    return is_there and page.is_relative_to((project / "results").resolve())


def _make_pages() -> None:
    """Make the missing pages of the project's results.

    Print a notice if that fails, so that others still open.
    """
    try:
        from study.pages import write_missing  # noqa: PLC0415 - it imports pandas

        write_missing(Path("results"))
    except ModuleNotFoundError as problem:
        print(
            f"bgrating: pages of the study are left out ({problem}): ./run set-up installs it",
            file=sys.stderr,
        )
    except (BgratingError, OSError) as problem:
        print(f"bgrating: not every page could be made: {problem}", file=sys.stderr)


def _snakemake(words: Sequence[str], project: Path, caller: Path) -> int:
    """Run Snakemake in this process; return the exit status."""
    if words and not words[0].startswith("-"):
        _check_target(words[0], rule_names(project), caller)
    settings, others = parse_command(words, caller, project)
    settings += _nets([*settings, *others])
    from snakemake import cli  # noqa: PLC0415 - it takes seconds; errors above come at once

    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) == signal.SIG_DFL:
        # A closed terminal ends a run as SIGTERM does: Snakemake handles that signal and leaves no
        # incomplete file.
        signal.signal(signal.SIGHUP, lambda *_: os.kill(os.getpid(), signal.SIGTERM))

    def succeeds(*more: str) -> bool:
        with _one_sentence_errors():
            parser, options = cli.parse_args([*others, *more])
        options.config = [*(options.config or []), *settings]
        if not (options.logger or any(getattr(options, name) for name in OF_SNAKEMAKE)):
            options.logger = ["bgrating"]
        return bool(cli.args_to_api(options, parser))

    try:
        with _run_marker(Path(".snakemake")) as was_killed:
            if was_killed and any(Path(".snakemake/locks").glob("*.lock")):
                succeeds("--unlock")
            return 0 if succeeds() else 1
    except UsageError:
        raise
    except Exception as problem:  # as Snakemake's own main does
        cli.print_exception(problem)
        return 1


@contextlib.contextmanager
def _run_marker(state: Path) -> Iterator[bool]:
    """Mark in Snakemake's folder that a run is active.

    Yield whether an earlier run was killed and no other is active.

    An active run holds a kernel lock on the marker file, which is released however the run ends. A
    run that ends by itself empties the file. If the system or the file system has no such locks, no
    run counts as killed.
    """
    try:
        import fcntl  # noqa: PLC0415 - Windows lacks it

        state.mkdir(exist_ok=True)
        handle = os.open(state / "bgrating.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except (ImportError, OSError):
        yield False
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        was_killed = bool(os.read(handle, 1))
    except OSError:
        was_killed = False
    with contextlib.suppress(OSError):
        os.pwrite(handle, b"at work", 0)
        fcntl.flock(handle, fcntl.LOCK_SH)
    try:
        yield was_killed
    finally:
        with contextlib.suppress(OSError):
            fcntl.flock(
                handle, fcntl.LOCK_EX | fcntl.LOCK_NB
            )  # only the last of several runs empties the file
            os.ftruncate(handle, 0)
        os.close(handle)


def _nets(words: Sequence[str]) -> list[str]:
    """Return the setting `nets` of the installed engine, unless the command names nets or engines.

    Without an engine there is none: many rules need no engine, and the others report that it is
    missing.
    """
    from bgrating.engine.errors import EngineError  # noqa: PLC0415
    from bgrating.engine.locate import find_engine  # noqa: PLC0415

    given = dict(word.split("=", 1) for word in words if word.startswith(("nets=", "engine=")))
    if "nets" in given or any(word.startswith("engines=") for word in words):
        return []
    try:
        return [
            f"nets={json.dumps(find_engine(given.get('engine', '').strip(chr(34))).known.nets)}"
        ]
    except EngineError:
        return []


def parse_command(words: Sequence[str], caller: Path, project: Path) -> tuple[list[str], list[str]]:
    """Return the settings among the words in the form of Snakemake's --config, and the other
    words.
    """
    from study.flags import target  # noqa: PLC0415 - the product's commands need no settings

    try:
        context = target().make_context("./run TARGET", list(words))
    except click.exceptions.Exit as ended:  # after --help
        sys.exit(ended.exit_code)
    except click.UsageError as problem:
        raise UsageError(
            f"{problem.format_message().rstrip('.')}; ./run --help lists what there is"
        ) from problem
    settings = {key: value for key, value in context.params.items() if value is not None}
    for key in PATTERNS & set(settings):
        if set("{}") & set(settings[key]):
            raise UsageError(
                f"--{key} {settings[key]}: Snakemake takes braces for wildcards; choose another"
                " path"
            )
    return [
        f"{key}={_quoted(caller, project, key, value)}" for key, value in settings.items()
    ], context.args


def rule_names(project: Path) -> list[str]:
    files = [project / "Snakefile", *sorted(project.glob("rules/*.smk"))]
    texts = "\n".join(file.read_text(encoding="utf-8") for file in files)
    return re.findall(r"^(?:use rule \w+ as|rule) (\w+)", texts, re.MULTILINE)


def _quoted(caller: Path, project: Path, key: str, value: Any) -> str:
    """Return a setting in the form of Snakemake's --config.

    Texts in quotes, paths relative to the caller's folder.
    """
    if key in PATHS or (key in {"coefficients", "engine"} and (caller / value).is_file()):
        path = (caller / value).absolute()
        value = (
            str(path.relative_to(project))
            if path.is_relative_to(project) and path != project
            else str(path)
        )
    return json.dumps(value, ensure_ascii=False)


def _check_target(target: str, rules: Iterable[str], caller: Path) -> None:
    """Raise UsageError for a target that is neither a rule nor looks like the name of an output
    file.
    """
    if target in rules:
        return
    if (caller / target).is_dir() or ((caller / target).exists() and not Path(target).exists()):
        raise UsageError(f"{target} is no target; to rate the matches in it: ./run rate {target}")
    if not re.search(r"[./]", target):
        names = [*rules, *COMMANDS, *OWN, "set-up", "test"]
        raise UsageError(
            f"there is no target {target}{did_you_mean(target, names)}; ./run --help lists them"
        )


@contextlib.contextmanager
def _one_sentence_errors() -> Iterator[None]:
    """Reduce the error of an argument parser to one sentence: Snakemake's usage has 100 lines.

    Raises UsageError.
    """
    with contextlib.redirect_stderr(io.StringIO()) as output:
        try:
            yield
        except SystemExit as ended:
            if ended.code == 0:  # --help
                raise
            reason = output.getvalue().rpartition("error: ")[2].strip()
            raise UsageError(f"{reason}; ./run --help lists what there is") from None


if __name__ == "__main__":
    run()
