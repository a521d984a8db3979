"""Snakemake logger plugin `bgrating`: the progress of a run, and one sentence for each error.

Progress is a bar in a terminal, elsewhere a line at every tenth of the steps. Snakemake finds the
plugin by its name on Python's path, which ./run and environment.yml set.
"""

import logging
import os
import re
import sys
from pathlib import Path
from typing import Any

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from bgmatch.records import Json

LOG_LINES = 25
_PLACE = r'(?: in rule \w+)?(?: in file "[^"]*", line \d+)?'
# Errors of rules and of this project. Python's own errors are bugs, so they keep their file and
# line.
_NAME = r"(?!(?:Assertion|Attribute|Index|Key|Name|OS|Type|Value)Error)\w+Error"
_OURS = re.compile(
    rf"(?:InputFunctionException{_PLACE}:\nError:\n  )?"
    rf"{_NAME}{_PLACE}:\n(.*?)(?:\nWildcards:\n.*|\n  File \".*)?",
    re.DOTALL,
)
# Messages that Snakemake adds after a failed job; the job's log has the reason.
_REPEATED = re.compile(
    r"WorkflowError:\nAt least one job did not|Exiting because a job exec"
    r"|.*\nCalledProcessError in",
    re.DOTALL,
)


class LogHandler(LogHandlerBase):
    """The handler that Snakemake creates for `--logger bgrating`."""

    writes_to_stream = True
    writes_to_file = False
    has_filter = has_formatter = True
    needs_rulegraph = False

    def __post_init__(self) -> None:
        """Choose the display.

        Imports are here because the process of every job loads this module.
        """
        self._bar: Any = None
        self._task: Any = None
        self._tenth = 0
        if sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
            from rich.console import Console  # noqa: PLC0415
            from rich.progress import Progress  # noqa: PLC0415

            self._bar = Progress(
                console=Console(stderr=True, highlight=False), refresh_per_second=2
            )

    def emit(self, record: logging.LogRecord) -> None:
        """Show progress, failed jobs, warnings and errors; ignore all other records."""
        fields = record.__dict__
        text = record.getMessage() if record.msg else ""
        event = fields.get("event")
        if event == LogEvent.PROGRESS:
            self._progress(fields["done"], fields["total"])
        elif event in (LogEvent.JOB_ERROR, LogEvent.GROUP_ERROR):
            self._say(describe_failure(fields))
        elif (
            event in (None, LogEvent.ERROR)
            and record.levelno >= logging.WARNING
            and not _REPEATED.match(text)
        ):
            self._say(in_one_sentence(text))

    def close(self) -> None:
        if self._bar:
            self._bar.stop()
        super().close()

    def _progress(self, done: int, total: int) -> None:
        if self._bar:
            self._bar.start()
            if self._task is None:
                self._task = self._bar.add_task("steps")
            self._bar.update(self._task, completed=done, total=total)
        elif 10 * done // total > self._tenth:
            self._tenth = 10 * done // total
            self._say(f"{done:,} of {total:,} steps")

    def _say(self, text: str) -> None:
        if self._bar:
            self._bar.console.print(text, markup=False, soft_wrap=True)
        else:
            print(text, file=sys.stderr, flush=True)


def in_one_sentence(text: str) -> str:
    """Return the sentence of an error raised in rules, without file and line.

    Return any other text unchanged.
    """
    if match := _OURS.fullmatch(text):
        return "error: " + "\n".join(line.strip() for line in match[1].splitlines())
    if text.startswith("LockException"):
        return "error: another run is at work on the same files in this folder: wait for it"
    if missing := re.match(r"MissingRuleException:\nNo rule to produce (.*) \(if you use", text):
        return f"error: no rule makes {missing[1]}"
    return text


def describe_failure(fields: Json) -> str:
    """Return the failed job and the end of its log.

    If the log ends with a sentence for the user, return only the error.
    """
    description = [f"{fields.get('rule_name', fields.get('groupid'))} failed."]
    for log in map(Path, fields.get("log") or fields.get("aux_logs") or ()):
        lines = (
            log.read_text(encoding="utf-8", errors="replace").splitlines() if log.is_file() else []
        )
        starts = [at for at, line in enumerate(lines) if line.startswith(("error: ", "Traceback "))]
        if starts and lines[starts[-1]].startswith("error: "):
            return "\n".join(lines[starts[-1] :])
        description.append(f"{log} ends with:" if lines else f"{log} is empty.")
        description += [f"    {line}" for line in lines[-LOG_LINES:]]
    return "\n".join(description)
