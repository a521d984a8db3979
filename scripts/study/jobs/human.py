"""Merge the parts of a collection, and make its tables and pages from them as `rate` does."""

from dataclasses import replace
from pathlib import Path

from bgrating.collection.cluster_parts import asked_of, merge
from bgrating.collection.rating_run import rate
from study.settings import Settings


def run(settings: Settings, cores: str, files: str, *parts: str) -> None:
    store = Path(files).with_name("store") / "analyses.sqlite"
    for problem in merge([store, *map(Path, parts)], store):
        print(problem)
    request = replace(
        asked_of(settings.config).request,
        results=Path(files).parents[2],
        store=store,
        cores=int(cores),
        check="errors",
    )
    result = rate(request)
    for line in [*(f"Page: {page}" for page in result.pages), *result.failed_here, *result.notices]:
        print(line)
