"""Do the job of a rule: job.py VARIABLE STEP LOG WORDS...; the step is a module of study/jobs.

The variable of the environment has the settings as JSON (study/settings.py). What the job prints
and every error go to the log.
"""

import contextlib
import importlib
import json
import os
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
    os._exit(1)


def main() -> None:
    """Run the step with the settings and the words."""
    variable, step, log, *words = sys.argv[1:]
    settings = json.loads(os.environ[variable])
    end_with(settings.pop("runs_in"))
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
        from study.settings import Settings  # noqa: PLC0415 - its errors are reported

        importlib.import_module(f"study.jobs.{step}").run(Settings(settings), *words)


if __name__ == "__main__":
    main()
