"""Rate match files from Python: the tables of `bgrating rate` as data frames."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from bgrating.apart import rate_apart
from bgrating.collection.rate_request import RateRequest
from bgrating.collection.rating_run import Progress, RateResult
from bgrating.decisions.thresholds import ERRORS


def rate(
    paths: str | Path | Iterable[str | Path],
    *,
    results: str | Path | None = None,
    store: str | Path | bool = True,
    progress: Progress | None = None,
    **options: Any,
) -> RateResult:
    """Rate everybody in match files: one file, folder or archive of them, or several.

    Options are those of the command, with its defaults: `level`, `luck`, `player`, `formula`,
    `aliases`, `offset`, `engine`, `name`, `cores`, `check`, `minutes`. A process of its own rates,
    so that the settings of numpy stay the caller's. With `results` tables and pages are written
    into that folder too. `store` is the user's (true), none (false), or a file. `progress` receives
    the progress.

    Returns an object with the data frames `files`, `matches`, `players` and `decisions`
    (docs/reference/tables.md). `answer` is the printed answer, `facts` its provenance;
    `failed_here` lists matches that the engine did not finish. Raises BgratingError, whose message
    names the problem and the remedy.
    """
    several = [paths] if isinstance(paths, str | os.PathLike) else paths
    if options.get("aliases"):
        options["aliases"] = Path(options["aliases"])
    if store is not True:
        options["store"] = Path(store) if store else None
    options.setdefault("check", ERRORS)
    request = RateRequest(tuple(map(Path, several)), Path(results) if results else None, **options)
    return rate_apart(request, progress or Progress())
