"""Rate everybody in match files.

Read them, have the engine analyse what the store lacks, write tables and pages.

The request is checked first, before anything is read or written and before pandas is imported.
"""

import os
from collections.abc import Generator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bgrating.analysis.analyst import Analyst
from bgrating.analysis.store import AnalysisStore
from bgrating.collection.listing import list_paths, with_members
from bgrating.collection.rate_request import CheckedRequest, Progress, RateRequest, check
from bgrating.collection.readings import CollectionReading, EngineInputs, read_collection
from bgrating.engine.pool import seconds_of_luck
from bgrating.people.aliases import known_name, persons
from bgrating.site.export import require_one_page

if TYPE_CHECKING:
    from bgrating.collection.rated_results import RateResult

LONG = 3.0
"""If luck takes longer than this (core seconds), show a first result without luck."""


def rate(request: RateRequest, progress: Progress | None = None) -> "RateResult":
    """Rate everybody in match files.

    Write tables and pages where the request names a folder of results.

    Raises SettingsError, EngineError, FormulaError or StoreError, before anything of the results is
    touched.
    """
    *_, result = growing_results(request, progress, luck_last=False)
    return result


def growing_results(
    request: RateRequest, progress: Progress | None = None, *, luck_last: bool = True
) -> Generator["RateResult"]:
    """Do the same as `rate`, and yield the result as it grows.

    First comes the answer, at 0-ply without luck if that takes long and `luck_last` is true. Then
    comes the same with tables and pages, if there is a folder for them. It comes again during and
    after the second look.
    """
    checked = check(request)
    progress = progress or Progress()
    files = list_paths(checked.paths, request.results or Path(os.devnull))
    level = checked.level
    cores = request.cores or os.cpu_count() or 1
    with ExitStack() as stack:
        store = stack.enter_context(closing(AnalysisStore(request.store, progress.say)))
        levels = [level]
        # A second analysis repeats the plays. They take less time than luck of the same depth only.
        if luck_last and level.luck and level.chequerplay.plies <= level.luckanalysis.plies:
            levels.append(replace(level, luck=False))
        analysts = [
            stack.enter_context(closing(Analyst(checked.engine, level, store, cores)))
            for level in levels
        ]
        full = analysts[0]
        first = analysts[-1]
        first.begin({})
        reading = CollectionReading()
        for reading in read_collection(with_members(files), store, analysts):
            progress.step("files read", len(reading.records), len(files))
            first.take()
        _check_names(checked, reading)
        # Imports pandas while the engine works. A formula that cannot be used ends the run here.
        from bgrating.collection.rated_results import Results  # noqa: PLC0415

        results = Results(checked, reading, full, progress)
        progress.step("matches analysed", first.done, first.total)
        _wait(first, "matches analysed", progress)
        if first is not full:
            if seconds_of_luck(level, full.rolls) > LONG:
                results.make(first)
                yield results.result()
            first.close()
            full.begin(first.problems)
            _wait(full, "matches with luck", progress)
        full.close()
        results.make(full)
        yield results.result()
        if results.look.is_requested:
            with closing(EngineInputs(reading.file_of)) as engine_inputs:
                yield from results.second_look(engine_inputs.of)
        elif checked.folder:
            yield results.write()


def _check_names(checked: CheckedRequest, reading: CollectionReading) -> None:
    """Check that the collection has the player and the page that the request names."""
    request = checked.request
    if request.export:
        require_one_page(request.export, request.player, len(reading.best_keys()))
    if request.player:
        known_name(request.player, sorted(set(persons(reading.pairs, checked.aliases)[0].values())))


def _wait(analyst: Analyst, what: str, progress: Progress) -> None:
    while analyst.take(wait=True):
        progress.step(what, analyst.done, analyst.total, analyst.seconds_left())
