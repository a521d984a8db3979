"""Do the job of a rule: job.py SETTINGS STEP LOG WORDS...; the step is a module of study/jobs.

SETTINGS is the file of the settings, which the variable BGRATING_SETTINGS replaces
(study/workflow_settings.py). What the job prints and every error go to the log.
"""

import contextlib
import importlib
import json
import os
import signal
import sys
import threading
from pathlib import Path

HERE = Path(__file__).resolve().parent


def end_with(process: int) -> None:
    """End this job, and with it the engine that it runs, when the process that runs Snakemake has
    gone.
    """
    with contextlib.suppress(AttributeError, OSError):  # not Linux, or not this machine's process
        handle = os.pidfd_open(process)
        threading.Thread(target=_wait, args=(handle,), daemon=True).start()


def _wait(handle: int) -> None:
    import select  # noqa: PLC0415 - not everywhere

    select.select([handle], [], [])
    os.kill(os.getpid(), signal.SIGTERM)


def main() -> None:
    """Run the step with the settings and the words."""
    file, step, log, *arguments = sys.argv[1:]
    settings = os.environ.get("BGRATING_SETTINGS") or Path(file).read_text(encoding="utf-8")
    if process := os.environ.get("BGRATING_RUNS_IN"):  # not where the command was pasted
        end_with(int(process))
    try:
        import bgrating  # noqa: PLC0415 - first of all it is looked at where it comes from
        from bgrating.job_log import reporting  # noqa: PLC0415
    except ImportError as problem:
        sys.exit(f"error: {problem}: {HERE.parent / 'run'} set-up installs what is missing")
    if not Path(bgrating.__file__).resolve().is_relative_to(HERE):
        sys.exit(
            f"error: Python takes bgrating from {Path(bgrating.__file__).parent}, not from {HERE}:"
            " unset PYTHONPATH"
        )
    with reporting(log):
        from study.workflow_settings import Settings  # noqa: PLC0415 - its errors are reported

        importlib.import_module(f"study.jobs.{step}").run(
            Settings(json.loads(settings)), *arguments
        )


if __name__ == "__main__":
    main()
