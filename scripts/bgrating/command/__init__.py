"""The command `bgrating`.

Each subcommand is a module of COMMANDS with a click command of the name `command`.

A subcommand's module is imported on demand. It imports slow packages (pandas, the engine) inside
its functions, so that `calc` answers and wrong options are refused without them. A subcommand
returns its exit status, or None for 0. It raises BgratingError with a sentence for the user.
"""

import importlib
import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import click

from bgmatch.records import Json, Record
from bgrating import INSTALL, BgratingError, __version__
from bgrating.engine.process import SignalExit, ended_by_signals
from bgrating.engine.protocol import memory_sentence
from bgrating.places import results_folder
from bgrating.processor import settle
from bgrating.suggestion import did_you_mean
from bgrating.tables.csv_safety import escape_controls

COMMANDS = {
    "rate": (
        "bgrating.command.rate",
        "error rates, ratings and costliest decisions of everybody in match files",
    ),
    "ratings": ("bgleague.command", "ratings and a league table from a list of results"),
    "calc": ("bgrating.command.calc", "a rating from error rates, the chance against an opponent"),
    "decide": ("bgduel.command.decide", "is the first of two levels or programs stronger?"),
    "serve": ("bgrating.command.serve", "a page on this computer to drop match files on"),
    "check": ("bgduel.command.check", "does a program speak UBGI, so that decide can play it?"),
    "find": ("bgrating.command.find", "positions by plan, score, dice or ID in all collections"),
    "open": ("bgrating.command.open", "show a page of the results in the browser"),
    "cache": (
        "bgrating.command.cache",
        "the store of analyses, which keeps matches from being analysed twice",
    ),
}
"""The subcommands in the order of the help: the module of each, imported on use, and what it does.
"""
OF_THEIR_OWN = {"ratings", "serve"}
"""Commands with an extra of their name (pyproject.toml); all others have `rate`."""
STOPPED = "stopped; run the same command again to go on"
TOO_LITTLE = ", which is too little for this command"
INTERRUPTED = 130  # exit status after Ctrl-C, as in shells
SETTINGS: Json = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
"""Context settings of the group and of every subcommand: click keeps the help option of its first
call."""


class Commands(click.Group):
    """The subcommands, imported on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a subcommand; None for an unknown name."""
        if cmd_name not in COMMANDS:
            return None
        module, _ = COMMANDS[cmd_name]
        command: click.Command = importlib.import_module(module).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the subcommand of the arguments.

        Raises UsageError, which names the most similar command.
        """
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(f"there is no command {args[0]}{_suggestion(args[0])}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, purpose) for name, (_, purpose) in COMMANDS.items()])


class PathWord(click.Path):
    """A path argument that is neither empty, as in `--results "$UNSET"`, nor another option."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path. Raises BadParameter for an impossible file name."""
        if not str(value):
            self.fail("the path is empty", param, ctx)
        if str(value).startswith("--"):
            self.fail(f"{value} is an option; a path of that name is ./{value}", param, ctx)
        if "\0" in str(value):
            self.fail("no path holds the character NUL", param, ctx)
        return super().convert(value, param, ctx)


PATH = PathWord()
RESULTS = click.option("--results", type=PATH, default=results_folder, help="folder of the results")
"""The option of every command that writes or reads results."""
JSON = click.option("--json", "as_json", is_flag=True, help="answer with JSON, an object a line")
"""The flag of every command; docs/reference/answers.schema.json describes the answers."""


def tell(answer: Record, text: str, *, as_json: bool) -> None:
    """Print the text of an answer, or the answer as JSON, where NaN and infinity become null."""
    click.echo(json.dumps(finite(answer), ensure_ascii=False) if as_json else text)


def finite(value: Any) -> Any:
    """Return a value for JSON; NaN and infinity, which JSON lacks, become null."""
    return json.loads(json.dumps(value), parse_constant=lambda _: None)


@click.group(cls=Commands, context_settings=SETTINGS)
@click.version_option(__version__, prog_name="bgrating", message="%(prog)s %(version)s")
def group() -> None:
    """Rate backgammon players from the errors in their match files, or from the results of their
    games.
    """


def main(arguments: Sequence[str] | None = None, program: str = "bgrating") -> NoReturn:
    """Run the command with these arguments (by default sys.argv) and exit with its status.

    An error that the user can fix is one sentence on standard error and status 1.
    """
    open_closed_streams()
    settle()
    command_line = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    try:
        with ended_by_signals():
            status = group.main(command_line, program, standalone_mode=False) or 0
            sys.stdout.flush()
    except click.Abort:
        # After Ctrl-C within an `exec` of a library Python would exit by the signal; another `exec`
        # resets that.
        exec("")
        end(STOPPED, INTERRUPTED)
    except SignalExit:
        print(f"bgrating: {STOPPED}", file=sys.stderr)
        raise
    except click.ClickException as problem:
        end(_usage(problem), 1)
    except BgratingError as problem:
        end(str(problem), 1)
    except ImportError as problem:
        end(lacking(problem, command_line[0]), 1)
    except (MemoryError, RuntimeError) as problem:
        if not (limited := memory_sentence()) or not (
            isinstance(problem, MemoryError) or "new thread" in str(problem)
        ):
            raise
        end(f"{limited}{TOO_LITTLE}", 1)
    except BrokenPipeError:  # after `| head`; else Python's flush at exit would fail too
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as problem:
        if problem.errno is None:
            raise
        end(f"{problem}: fix this, then run the same command again; finished files are kept", 1)
    sys.exit(status)


def open_closed_streams() -> None:
    """Open closed standard streams on /dev/null, since the next opened file would get their
    number.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            handle = os.open(os.devnull, os.O_RDWR)
            os.set_inheritable(handle, True)
            setattr(sys, name, os.fdopen(handle, mode, encoding="utf-8"))


def rewrite(text: str) -> None:
    """Replace the last line of a terminal."""
    if sys.stderr.isatty():
        width = shutil.get_terminal_size().columns - 1
        sys.stderr.write(f"\r{text[:width]:<{width}}\r{text[:width]}")
        sys.stderr.flush()


def _suggestion(word: str) -> str:
    if Path(word).exists():
        return f"; to rate the matches in it: rate {word}"
    return did_you_mean(word, COMMANDS)


def _usage(problem: click.ClickException) -> str:
    """Return click's message for a wrong usage, and the command of the help."""
    context = getattr(problem, "ctx", None)
    text = problem.format_message().strip().removesuffix(".")
    return f"{text}; {context.command_path} --help lists what there is" if context else text


def lacking(problem: ImportError, command: str) -> str:
    """Return the remedy for a package that a command cannot import.

    Raises the error for a module of this project.
    """
    is_missing = isinstance(problem, ModuleNotFoundError)
    if (limited := memory_sentence()) and not is_missing:
        return f"{limited}{TOO_LITTLE}"
    package = (problem.name or "").partition(".")[0]
    listed = Path(sys.prefix, "listed")
    if package in {"bgduel", "bgleague", "bgmatch", "bgrating", "study"} or not (
        is_missing or listed.is_file()
    ):
        raise problem
    if listed.is_file():  # the project's environment, which ./run checks if this file is missing
        damage = f"the environment {sys.prefix} is damaged ({problem})"
        if listed.stat().st_uid != os.geteuid():
            return f"{damage} and of another user: their next command repairs it"
        listed.unlink(missing_ok=True)  # another command may have seen the same
        return f"{damage}: run the same command again, which repairs it"
    extra = command if command in OF_THEIR_OWN else "rate"
    return f"{problem}; {command} needs an extra; {INSTALL.format(extra)}"


def end(sentence: str, status: int) -> NoReturn:
    """Print a sentence on standard error as one line, with control characters escaped, and exit."""
    print(f"bgrating: {escape_controls(sentence)}", file=sys.stderr)
    sys.exit(status)
