"""The displays: bars in a terminal, plain lines elsewhere, Snakemake's own log for who asks for details."""

import logging
import os
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskID, TextColumn
from rich.table import Column
from rich.text import Text
from snakemake.logging import ColorizingTextHandler, DefaultFilter, DefaultFormatter
from snakemake_interface_logger_plugins.common import LogEvent
from snakemake_interface_logger_plugins.settings import OutputSettingsLoggerInterface

from bgrating import BgratingError
from bgrating.progress import Count, Tally

# What Snakemake says of itself on every run; a message that is not listed is shown.
ROUTINE = (
    "Assuming unrestricted shared filesystem",
    "Building DAG of jobs",
    "Conda environments: ignored",
    "Config file ",
    "Execute ",
    "Finished at:",
    "Group jobs: inactive",
    "Select jobs to execute",
    "Singularity containers: ignored",
    "Storing output in storage",
    "Total elapsed time:",
    "Touching output file ",
    "Updating checkpoint dependencies",
    "Using profile ",
    "Using shell:",
    "Using workflow specific profile ",
    "Waiting at most ",
    "Waiting for more resources",
)
LOG_LINES = 25
# What Snakemake adds after the failed jobs have been told.
AFTER_FAILURE = ("WorkflowError:\nAt least one job did not complete", "Exiting because a job execution failed")


class Detailed:
    """Snakemake's own log."""

    def __init__(self, settings: OutputSettingsLoggerInterface, stream: TextIO) -> None:
        quiet = settings.quiet or []
        self._handler = ColorizingTextHandler(
            nocolor=settings.nocolor,
            stream=stream,
            formatter=DefaultFormatter(quiet, settings.show_failed_logs),
            filter=DefaultFilter(quiet, settings.debug_dag, settings.verbose, settings.dryrun, settings.printshellcmds),
        )

    def handle(self, record: logging.LogRecord) -> None:
        """Show the record as Snakemake would."""
        self._handler.handle(record)

    def close(self) -> None:
        """Flush; the stream belongs to others."""
        self._handler.flush()


class Lines:
    """Plain text, with a line at every tenth of the way; the base of the bars."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.tally = Tally()
        self._labels: dict[int, str] = {}
        self._tenths: dict[str, int] = {}

    def say(self, text: str, *, alarm: bool = False) -> None:
        """Print a message; alarms are no different here, the bars show them in red."""
        print(text, file=self._stream, flush=True)

    def moved(self, counts: list[Count]) -> None:
        """Report the counts that passed another tenth."""
        for count in counts:
            tenth = 10 * count.done // count.total
            if tenth > self._tenths.get(count.name, 0):
                self._tenths[count.name] = tenth
                self.say(f"{count.name}: {count.describe()}")

    def handle(self, record: logging.LogRecord) -> None:
        """Take a record in, and show it where a person should see it."""
        event = getattr(record, "event", None)
        if event == LogEvent.RUN_INFO:
            self._plan_steps(record)
        elif event == LogEvent.JOB_INFO:
            self._start(record)
        elif event == LogEvent.JOB_FINISHED:
            self.moved(self.tally.finish(record.__dict__["job_id"]))
        elif event == LogEvent.PROGRESS:
            self.tally.plan_steps(record.__dict__["total"])
        elif event == LogEvent.JOB_ERROR:
            self.say(describe_failure(record, self._labels), alarm=True)
        elif event == LogEvent.GROUP_ERROR:
            self.say("\n".join([record.getMessage(), *ends_of(record.__dict__["aux_logs"])]), alarm=True)
        elif event in (None, LogEvent.ERROR):
            self._pass_on(record)

    def close(self) -> None:
        """Finish."""
        self._stream.flush()

    def _plan_steps(self, record: logging.LogRecord) -> None:
        stats = {rule: number for rule, number in record.__dict__["stats"].items() if rule != "total"}
        self.tally.plan_steps(sum(stats.values()))
        self.say(f"{sum(stats.values()):,} steps: " + ", ".join(f"{n:,} {rule}" for rule, n in stats.items()))

    def _start(self, record: logging.LogRecord) -> None:
        fields = record.__dict__
        wildcards = ", ".join(f"{name}={value}" for name, value in fields["wildcards"].items())
        self._labels[fields["jobid"]] = f"{fields['rule_name']} ({wildcards})" if wildcards else fields["rule_name"]
        self.tally.start(fields["jobid"], fields["rule_name"], fields["resources"])

    def _pass_on(self, record: logging.LogRecord) -> None:
        plan = record.__dict__.get("planned_matches")
        if plan is not None:
            self.tally.plan_matches(plan)
        text = record.getMessage() if record.msg else ""
        routine = record.levelno <= logging.INFO and (hasattr(record, "quietness") or text.startswith(ROUTINE))
        # That a job's command failed is told by its JOB_ERROR, with the reason from the job's log.
        repeated = text.startswith(AFTER_FAILURE) or "\nCalledProcessError in file" in text
        if text and not routine and not repeated:
            self.say(in_one_sentence(text), alarm=record.levelno >= logging.WARNING)


class CountColumn(ProgressColumn):
    """A count in words, made anew at every redraw so that the time left runs down."""

    def render(self, task: Task) -> Text:
        """Return the words."""
        return Text(task.fields["count"].describe(), no_wrap=True)


class Bars(Lines):
    """Bars that stay below what is printed."""

    def __init__(self, stream: TextIO, *, color: bool) -> None:
        super().__init__(stream)
        self._console = Console(file=stream, force_terminal=True, no_color=not color, highlight=False)
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=None),
            CountColumn(table_column=Column(no_wrap=True)),
            console=self._console,
            expand=True,
            refresh_per_second=2,
        )
        self._bars: dict[str, TaskID] = {}

    def say(self, text: str, *, alarm: bool = False) -> None:
        """Print a message above the bars."""
        self._console.print(text, style="red" if alarm else None, markup=False, soft_wrap=True)

    def handle(self, record: logging.LogRecord) -> None:
        """Take a record in, and bring the bars up to date; they appear when the first job starts."""
        super().handle(record)
        if getattr(record, "event", None) in (LogEvent.JOB_INFO, LogEvent.JOB_FINISHED, LogEvent.PROGRESS):
            self._draw()

    def moved(self, counts: list[Count]) -> None:
        """Leave it to the bars."""

    def close(self) -> None:
        """Leave the bars as they stand."""
        for count in (*self.tally.matches.values(), self.tally.steps):
            count.stop()
        self._progress.stop()

    def _draw(self) -> None:
        for count in (*self.tally.matches.values(), self.tally.steps):
            if count.total and count.name not in self._bars:
                self._progress.start()
                self._bars[count.name] = self._progress.add_task(count.name, count=count)
            if count.total:
                self._progress.update(self._bars[count.name], total=count.total, completed=count.done)


def in_one_sentence(text: str) -> str:
    """Return what one of our errors says, without where in the rules it was raised; any other text as it is."""
    ours = "|".join(["WorkflowError", *(error.__name__ for error in _errors(BgratingError))])
    place = r'(?: in rule \w+)?(?: in file "[^"]*", line \d+)?'
    inner = re.fullmatch(
        rf"InputFunctionException{place}:\nError:\n  (?:{ours}):\n(.*?)\nWildcards:\n.*", text, re.DOTALL
    )
    outer = re.fullmatch(rf"(?:{ours}){place}:\n(.*?)(?:\n  File \"[^\n]*)*", text, re.DOTALL)
    if match := inner or outer:
        return "error: " + "\n".join(line.strip() for line in match[1].splitlines())
    if text.startswith("LockException"):
        return "error: another run is at work in this folder, or one was killed: wait for it, or start ./run --unlock"
    if missing := re.match(r"MissingRuleException:\nNo rule to produce (.*) \(if you use", text):
        return f"error: no rule makes {missing[1]}"
    return text


def _errors(base: type[Exception]) -> Iterator[type[Exception]]:
    for error in base.__subclasses__():
        yield error
        yield from _errors(error)


def describe_failure(record: logging.LogRecord, labels: dict[int, str]) -> str:
    """Return which job failed and the end of its log, where the reason stands; a sentence for the user alone."""
    fields = record.__dict__
    if len(fields["log"]) == 1 and (sentence := sentence_of(Path(fields["log"][0]))):
        return "\n".join(sentence)
    job = labels.get(fields["jobid"], fields["rule_name"])
    return "\n".join([f"{job} failed.", *ends_of(fields["log"])])


def sentence_of(log: Path) -> list[str]:
    """Return the lines of the sentence for the user that a log ends with; none where it ends with something else."""
    lines = log.read_text(errors="replace").splitlines() if log.is_file() else []
    last = max((at for at, line in enumerate(lines) if line.startswith(("error: ", "Traceback "))), default=None)
    return lines[last:] if last is not None and lines[last].startswith("error: ") else []


def ends_of(logs: Iterable[str]) -> Iterator[str]:
    """Yield the last lines of each log, below its name; of one that ends with a sentence for the user, only that."""
    for log in map(Path, logs):
        lines = sentence_of(log) or (log.read_text(errors="replace").splitlines() if log.is_file() else [])
        yield f"{log} ends with:" if lines else f"{log} is empty."
        yield from (f"    {line}" for line in lines[-LOG_LINES:])


def choose_display(settings: OutputSettingsLoggerInterface) -> Detailed | Lines:
    """Return the display for these settings and for what standard error is."""
    if settings.dryrun or settings.verbose or settings.debug_dag or settings.printshellcmds or settings.quiet:
        return Detailed(settings, sys.stdout if settings.stdout else sys.stderr)
    if sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        return Bars(sys.stderr, color=not settings.nocolor)
    return Lines(sys.stderr)
