"""Snakemake logger plugin `bgrating`: a bar of the steps, and of an error the one sentence that the user needs.

In a terminal a bar, elsewhere a line at every tenth of the way. Snakemake finds the plugin by its name on Python's
path: ./run and environment.yml see to that.
"""

import logging
import os
import re
import sys
from pathlib import Path
from typing import Any

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

LOG_LINES = 25
_PLACE = r'(?: in rule \w+)?(?: in file "[^"]*", line \d+)?'
# Errors of rules, and of ours; not Python's own, which are ours to mend and want their place told.
_NAME = r"(?!(?:Assertion|Attribute|Index|Key|Name|OS|Type|Value)Error)\w+Error"
_OURS = re.compile(
    rf"(?:InputFunctionException{_PLACE}:\nError:\n  )?{_NAME}{_PLACE}:\n(.*?)(?:\nWildcards:\n.*|\n  File \".*)?",
    re.DOTALL,
)
# What Snakemake adds after a failed job, of which the job's log has told.
_REPEATED = re.compile(
    r"WorkflowError:\nAt least one job did not|Exiting because a job exec|.*\nCalledProcessError in", re.DOTALL
)


class LogHandler(LogHandlerBase):
    """The handler that Snakemake creates for `--logger bgrating`."""

    writes_to_stream, writes_to_file = True, False
    has_filter = has_formatter = True
    needs_rulegraph = False

    def __post_init__(self) -> None:
        """Choose the display; imports are here because every job's process loads this module."""
        self._bar: Any = None
        self._tenth, self._task = 0, None
        if sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
            from rich.console import Console  # noqa: PLC0415
            from rich.progress import Progress  # noqa: PLC0415

            self._bar = Progress(console=Console(stderr=True, highlight=False), refresh_per_second=2)

    def emit(self, record: logging.LogRecord) -> None:
        """Show one record, if a person should see it."""
        fields, text = record.__dict__, record.getMessage() if record.msg else ""
        event = fields.get("event")
        if event == LogEvent.PROGRESS:
            self._progress(fields["done"], fields["total"])
        elif event in (LogEvent.JOB_ERROR, LogEvent.GROUP_ERROR):
            self._say(describe_failure(fields))
        elif event in (None, LogEvent.ERROR) and record.levelno >= logging.WARNING and not _REPEATED.match(text):
            self._say(in_one_sentence(text))

    def close(self) -> None:
        if self._bar:
            self._bar.stop()
        super().close()

    def _progress(self, done: int, total: int) -> None:
        if self._bar:
            self._bar.start()
            self._task = self._bar.add_task("steps", total=total) if self._task is None else self._task
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
    """Return the sentence of an error that rules raise, without where they raised it; any other text as it is."""
    if match := _OURS.fullmatch(text):
        return "error: " + "\n".join(line.strip() for line in match[1].splitlines())
    if text.startswith("LockException"):
        return "error: another run is at work on the same files in this folder: wait for it"
    if missing := re.match(r"MissingRuleException:\nNo rule to produce (.*) \(if you use", text):
        return f"error: no rule makes {missing[1]}"
    return text


def describe_failure(fields: dict[str, Any]) -> str:
    """Return the failed job and the end of its log, or only the sentence for the user at its end."""
    told = [f"{fields.get('rule_name', fields.get('groupid'))} failed."]
    for log in map(Path, fields.get("log") or fields.get("aux_logs") or ()):
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines() if log.is_file() else []
        last = max((at for at, line in enumerate(lines) if line.startswith(("error: ", "Traceback "))), default=None)
        if last is not None and lines[last].startswith("error: "):
            return "\n".join(lines[last:])
        told += [f"{log} ends with:" if lines else f"{log} is empty.", *(f"    {line}" for line in lines[-LOG_LINES:])]
    return "\n".join(told)
