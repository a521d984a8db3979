"""Snakemake logger plugin ``bgrating``: a progress display instead of a wall of log lines.

In a terminal it shows a bar for each rule that plays or analyses matches and one for all steps; elsewhere it
prints a plain line at every tenth of the way. Errors, warnings and what the rules themselves say are always
shown. Whoever asks for something else (--dry-run, --verbose, --printshellcmds, --debug-dag, --quiet) gets
Snakemake's own log.

Snakemake finds the plugin by its name on Python's path: ./run and environment.yml see to that.
"""

import logging

from snakemake_interface_logger_plugins.base import LogHandlerBase


class LogHandler(LogHandlerBase):
    """The handler that Snakemake creates for ``--logger bgrating``."""

    def __post_init__(self) -> None:
        """Choose the display; imports are here because every job's process loads the plugin's module."""
        from .displays import choose_display  # noqa: PLC0415

        self._display = choose_display(self.common_settings)

    def emit(self, record: logging.LogRecord) -> None:
        """Show one record."""
        try:
            self._display.handle(record)
        except Exception:  # a display must not end the run
            self.handleError(record)

    def close(self) -> None:
        """Leave the terminal as it should be."""
        self._display.close()
        super().close()

    @property
    def writes_to_stream(self) -> bool:
        """Say that this handler replaces Snakemake's own on the screen."""
        return True

    @property
    def writes_to_file(self) -> bool:
        """Say that no file is written; Snakemake keeps its complete log in .snakemake/log all the same."""
        return False

    @property
    def has_filter(self) -> bool:
        """Say that the displays choose what to show."""
        return True

    @property
    def has_formatter(self) -> bool:
        """Say that the displays choose how to show it."""
        return True

    @property
    def needs_rulegraph(self) -> bool:
        """Say that the graph of rules is not wanted."""
        return False
