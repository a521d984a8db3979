"""The command line of ./run: commands of the product and of the study, and targets of Snakemake.

For a target, a setting of config/schemas/config.schema.yaml may be a flag `--setting value`.
Snakemake gets it in --config, and all other words unchanged. Paths are relative to the caller's
folder.
"""

import argparse
import contextlib
import fcntl
import io
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

from bgrating import BgratingError
from bgrating.command import COMMANDS, end, lacking, main
from bgrating.engine.engine_errors import EngineError
from bgrating.engine.locate import find_engine
from bgrating.places import CALLER
from bgrating.settings_files import SCHEMAS, load_yaml

# The commands of the study that run without Snakemake: the module of each, and what it does.
OWN = {
    "people": ("study.people.check_people", "does the formula hold for these people?"),
    "documents": ("study.documents", "write the documents that quote tables"),
}
# Settings that are paths; others are paths if a file of that name exists.
PATHS = ("aliases", "collection", "designs", "engines", "results")
PATHS_OR_NAMES = ("engine", "formula", "levels")
# With these options of Snakemake a run has Snakemake's own log, and no progress bar.
OF_SNAKEMAKE = ("dryrun", "verbose", "debug_dag", "printshellcmds", "quiet")


class UsageError(BgratingError):
    """The command line has an unknown option, or one without its value."""


def run() -> NoReturn:
    """Run the command and exit with its status.

    An error that the user can correct is one sentence and status 1.
    """
    project = Path.cwd()
    caller = Path(os.environ.get(CALLER) or project)
    arguments = sys.argv[1:]
    if arguments[:1] == ["open"] and not {"-h", "--help", "--results"} & {*arguments}:
        _make_pages()
    COMMANDS.update(OWN)
    if arguments and arguments[0] in {*COMMANDS, "--version"}:
        os.chdir(caller)
        main(arguments, "./run")
    try:
        sys.exit(_snakemake(arguments, caller, project))
    except BgratingError as problem:
        end(str(problem), 1)
    except ImportError as problem:
        end(lacking(problem, " ".join(arguments[:1])), 1)


def _make_pages() -> None:
    """Make the missing pages of the project's results.

    Print a notice if that fails, so that others still open.
    """
    try:
        from study.pages import write_missing  # noqa: PLC0415 - it imports pandas

        write_missing(Path("results"))
    except (BgratingError, ImportError, OSError) as problem:
        remedy = "; ./run set-up installs it" if isinstance(problem, ImportError) else ""
        print(f"bgrating: pages of the study are missing: {problem}{remedy}", file=sys.stderr)


def _snakemake(arguments: Sequence[str], caller: Path, project: Path) -> int:
    """Run Snakemake in this process; return the exit status."""
    settings, snakemake_arguments = parse_command(arguments, caller, project)
    settings += _engine_version([*settings, *snakemake_arguments])
    from snakemake import cli  # noqa: PLC0415 - it takes seconds; errors above come at once

    def succeeds(*options_of_run: str) -> bool:
        with _one_sentence_errors():
            parser, options = cli.parse_args([*snakemake_arguments, *options_of_run])
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
def _one_sentence_errors() -> Iterator[None]:
    """Reduce an error of a parser to one sentence: the usage of Snakemake has 100 lines.

    Raises UsageError.
    """
    with contextlib.redirect_stderr(io.StringIO()) as printed:
        try:
            yield
        except SystemExit as ended:
            if ended.code:
                reason = printed.getvalue().rpartition("error: ")[2].strip()
                raise UsageError(f"{reason}; ./run --help lists what there is") from None
            raise


@contextlib.contextmanager
def _run_marker(state: Path) -> Iterator[bool]:
    """Mark in Snakemake's folder that a run is active.

    Yield whether an earlier run was killed and no other is active. An active run holds a kernel
    lock on the marker file, which is released however the run ends. A run that ends by itself
    empties the file.
    """
    state.mkdir(exist_ok=True)
    with (state / "bgrating.lock").open("a+", encoding="utf-8") as marker:
        try:
            fcntl.flock(marker, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:  # another run is active, or the file system has no locks
            yield False
            return
        was_killed = marker.tell() > 0
        print("at work", file=marker, flush=True)
        try:
            yield was_killed
        finally:
            marker.truncate(0)


def _engine_version(arguments: Sequence[str]) -> list[str]:
    """Return the setting `nets` of the installed engine, unless the command names nets or engines.

    Without an engine there is none: many rules need no engine, and the others report that it is
    missing.
    """
    settings = dict(
        word.split("=", 1) for word in arguments if word.startswith(("nets=", "engine"))
    )
    if {"nets", "engines"} & settings.keys():
        return []
    try:
        engine = find_engine(settings.get("engine", "").strip('"'))
    except EngineError:
        return []
    return [f"nets={json.dumps(engine.known.version)}"]


def parse_command(
    arguments: Sequence[str], caller: Path, project: Path
) -> tuple[list[str], list[str]]:
    """Return the settings among the words in the form of Snakemake's --config, and the other
    words.
    """
    properties = load_yaml(SCHEMAS / "config.schema.yaml")["properties"]
    parser = argparse.ArgumentParser(
        "./run TARGET",
        allow_abbrev=False,
        epilog="All options of Snakemake too: .venv/bin/snakemake --help",
    )
    for key, schema in properties.items():
        flags = dict.fromkeys([f"--{key.replace('_', '-')}", f"--{key}"])
        parser.add_argument(*flags, metavar="VALUE", help=schema["description"])
    with _one_sentence_errors():
        options, snakemake_arguments = parser.parse_known_args(arguments)
    settings = []
    for key, value in vars(options).items():
        if value is not None:
            is_path = key in PATHS or (key in PATHS_OR_NAMES and (caller / value).exists())
            text = _relative(caller / value, project) if is_path else value
            if "string" in properties[key]["type"]:
                text = json.dumps(text, ensure_ascii=False)
            settings.append(f"{key}={text}")
    return settings, snakemake_arguments


def _relative(path: Path, project: Path) -> str:
    absolute = path.absolute()
    is_inside = absolute.is_relative_to(project) and absolute != project
    return str(absolute.relative_to(project) if is_inside else absolute)


if __name__ == "__main__":
    run()
