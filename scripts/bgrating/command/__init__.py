"""The command `bgrating`: a module here for each subcommand, with a click command of the name `command`.

A subcommand's module is imported when it is called. It imports slow packages (pandas, the engine) within its functions.
So `calc` answers, and mistakes are refused, before any of them is loaded. A subcommand returns its exit status, or
nothing for 0, and raises BgratingError with a sentence for the user.
"""

import importlib
import os
import signal
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NoReturn

import click

from bgrating import BgratingError, __version__
from bgrating.suggestion import did_you_mean
from bgrating.tables.csv_safety import escape_controls

COMMANDS = {
    "rate": "error rates, ratings and costliest decisions of everybody in match files",
    "ratings": "ratings and a league table from a list of results",
    "calc": "a rating from error rates, the chance against an opponent",
    "decide": "is the first of two levels or programs stronger?",
    "open": "show a page of the results in the browser",
    "cache": "the store of analyses, which keeps matches from being analysed twice",
}
"""The subcommands, in the order in which the help lists them."""
EXTRA = "rate"
"""The extra of the package (pyproject.toml) that brings what every subcommand but `calc` needs."""
STOPPED = "stopped; run the same command again to go on"
INTERRUPTED = 130
"""Exit status after Ctrl-C, as shells have it."""
_LINE_END = "\ue000"
"""Stands for a line end of the user's words in a sentence; Unicode gives this character no other meaning."""


class Commands(click.Group):
    """The subcommands, imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a subcommand; nothing for a name that is none."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"bgrating.command.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the subcommand that the words begin with. Raises UsageError naming the nearest."""
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(f"there is no command {args[0]}{_instead(args[0])}", ctx)
        name, command, rest = super().resolve_command(ctx, args)
        if command:
            _require_values(command, rest, ctx)
        return name, command, rest

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


class PathWord(click.Path):
    """A path on the command line: not empty, as `--results "$UNSET"` would be, and without the character NUL."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path. Raises BadParameter where no file can have that name."""
        if not str(value):
            self.fail("the path is empty", param, ctx)
        if "\0" in str(value):
            self.fail("no path holds the character NUL", param, ctx)
        return super().convert(value, param, ctx)


PATH = PathWord()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="bgrating", message="%(prog)s %(version)s")
def group() -> None:
    """Rate backgammon players from the errors in their match files, or from the results of their games."""


def main(arguments: Sequence[str] | None = None, program: str = "bgrating") -> NoReturn:
    """Run the command with these words (by default those it was called with) and exit with its status.

    What the user can mend is one sentence on standard error and status 1.
    """
    words = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    try:
        status = group.main(words, program, standalone_mode=False) or 0
        sys.stdout.flush()
    except click.Abort:
        end(STOPPED, INTERRUPTED)
    except click.ClickException as problem:
        end(_on_one_line(_usage(problem), words), 1)
    except BgratingError as problem:
        end(_on_one_line(str(problem), words), 1)
    except ImportError as problem:
        end(_lacking(problem), 1)
    except BrokenPipeError:  # nobody reads on (`| head`); Python flushes as it ends, and would tell of it again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as problem:
        if problem.errno is None:
            raise
        end(f"{problem}: mend that, then run the same command again; what is whole is kept", 1)
    sys.exit(status)


def exit_on_signals() -> None:
    """Turn SIGTERM and SIGHUP into an exit, so that a command that is ended leaves no engine and no half a file."""
    for number in (getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)):
        signal.signal(number, lambda number, _: end(STOPPED, 128 + number))


def _require_values(command: click.Command, words: Sequence[str], ctx: click.Context) -> None:
    """Raise UsageError for an option that another option follows where its value should stand."""
    options = [one for one in command.params if isinstance(one, click.Option)]
    names = {name for one in options for name in one.opts}
    valued = {name for one in options if not one.is_flag for name in one.opts}
    for word, following in pairwise(words):
        if word in valued and following in names:
            raise click.UsageError(f"{word} lacks its value: {following} is an option", ctx)


def _on_one_line(sentence: str, words: Sequence[str]) -> str:
    """Return a sentence in which line ends of the user's own words are marked, so that end() escapes them."""
    for text in (text for word in words for text in (word, word.partition("=")[2])):
        if "\n" in text:
            sentence = sentence.replace(text, text.replace("\n", _LINE_END))
    return sentence


def _instead(word: str) -> str:
    return f"; to rate the matches in it: rate {word}" if Path(word).exists() else did_you_mean(word, COMMANDS)


def _usage(problem: click.ClickException) -> str:
    """Return what is wrong with the words in one sentence."""
    context = getattr(problem, "ctx", None)
    text = problem.format_message().strip().removesuffix(".")
    if isinstance(problem, click.NoSuchOption) and context:
        known = [name for one in context.command.get_params(context) for name in one.opts]
        text = f"there is no option {problem.option_name}{did_you_mean(problem.option_name, known)}"
    return f"{text}; {context.command_path} --help lists what there is" if context else text


def _lacking(problem: ImportError) -> str:
    """Return what to do where a package cannot be imported. Raises the error where it is one of ours."""
    package = (problem.name or "").partition(".")[0]
    checked = Path(sys.prefix, "checked")
    gone = isinstance(problem, ModuleNotFoundError)
    if package == "bgrating" or not (gone or checked.is_file()):
        raise problem
    if checked.is_file():  # the project's own environment: ./run looks at it anew where this file is missing
        checked.unlink()
        return f"the environment {sys.prefix} is damaged ({problem}): run the same command again, which repairs it"
    return f"{problem}: this command needs the packages of an extra: pip install 'bgrating[{EXTRA}]'"


def end(sentence: str, status: int) -> NoReturn:
    """Print a sentence as the command does, control characters escaped, and exit."""
    lines = [escape_controls(line).replace(_LINE_END, "\\n") for line in sentence.split("\n")]
    print("bgrating: " + "\n".join(lines), file=sys.stderr)
    sys.exit(status)
