"""A collection that is too large for one machine.

Its parts are read and analysed in parallel, then merged.

Each job writes its own store (store.py); `rate` makes the tables from the merged store.
"""

import math
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import NoReturn

from bgmatch.records import Record
from bgrating.analysis.analyst import Analyst
from bgrating.analysis.second_look import SecondLook
from bgrating.analysis.store import AnalysisStore, Store, StoreError
from bgrating.collection.listing import ListedFile, list_paths, part_of, with_members
from bgrating.collection.rate_request import CheckedRequest, RateRequest, check
from bgrating.collection.readings import CollectionReading, EngineInputs, read_collection
from bgrating.decisions.thresholds import ERRORS
from bgrating.settings import SettingsError
from bgrating.tables.provenance import atomic_path

UNBOUND = 2**62
"""Bytes that a collection's store may take: it must lose nothing."""


def asked_of(config: Record) -> CheckedRequest:
    """Return the request of Snakemake's settings.

    Raises SettingsError or EngineError if it cannot be met.
    """
    if not config.get("collection"):
        raise SettingsError("no collection: ./run human --collection DIR")
    return check(
        RateRequest(
            paths=(Path(str(config["collection"])),),
            results=Path(config["results"]),
            name=str(config.get("name", "")),
            level=config["level"],
            player=str(config.get("player", "")),
            formula=str(config["formula"]),
            aliases=Path(str(config["aliases"])) if config.get("aliases") else None,
            offset=float(config["offset"]),
            engine=config["engine"],
            nets=config["nets"],
            store=None,
        )
    )


def analyse_part(checked: CheckedRequest, part: int, parts: int, before: Path, out: Path) -> str:
    """Read and analyse a part of a collection into a store, judge its errors again, and return a
    summary.

    The hash of a file's name gives its part. `before` is the store of an earlier run, if there is
    one.
    """
    files = [file for file in _files(checked) if part_of(file, parts) == part]
    reading = CollectionReading()
    with ExitStack() as stack:
        earlier = [before] if before.is_file() else []
        store = stack.enter_context(
            closing(AnalysisStore(stack.enter_context(_new_store(out)), _fail, earlier))
        )
        analyst = stack.enter_context(closing(Analyst(checked.engine, checked.level, store, 1)))
        analyst.begin({})
        for reading in read_collection(files, store, [analyst]):  # noqa: B007 - it grows; the last one has all files
            analyst.take()
        while analyst.take(wait=True):
            pass
        look = SecondLook(analyst, ERRORS)
        look.plan(key for key in reading.best_keys() if key in analyst.values)
        with closing(EngineInputs(files, reading)) as engine_inputs:
            look.run(list(look.flagged), engine_inputs.of, math.inf, lambda *_: None)
        failed = f", {len(analyst.failed_here)} to be tried again" if analyst.failed_here else ""
        unread = "".join(
            f" {problem}: its entries are made anew." for problem in sorted(store.unread)
        )
        return f"{analyst.total} matches analysed{failed}. {look.summary()}{unread}"


def merge(stores: Sequence[Path], out: Path) -> list[str]:
    """Merge stores into a new one; return why damaged ones are left out.

    Their entries are made anew.
    """
    problems = []
    with _new_store(out) as path, closing(Store(path)) as merged:
        for store in filter(Path.is_file, stores):
            try:
                with closing(Store(store, frozen=True)) as checked:
                    checked.check()
            except StoreError as problem:
                problems.append(f"{problem}: its entries are made anew")
            else:
                merged.absorb(store)
    return problems


def _files(checked: CheckedRequest) -> Iterator[ListedFile]:
    return with_members(list_paths(checked.paths, checked.request.results or Path(os.devnull)))


@contextmanager
def _new_store(out: Path) -> Iterator[Path]:
    """Yield a path for a new store on this machine, then copy the store to `out`, which may be on a
    network.
    """
    with tempfile.TemporaryDirectory(prefix="bgrating-") as place:
        path = Path(place, "store.sqlite")
        Store(path, limit=UNBOUND).close()
        yield path
        with closing(Store(path)) as store:
            store.detach()
        out.parent.mkdir(parents=True, exist_ok=True)
        with atomic_path(out) as part:
            shutil.copyfile(path, part)


def _fail(sentence: str) -> NoReturn:
    raise StoreError(sentence)
