"""Read and analyse one part of a collection of match files; write its own store."""

from pathlib import Path

from bgrating.collection.cluster_parts import analyse_part, asked_of
from study.settings import PARTS, Settings


def run(settings: Settings, part: str, out: str) -> None:
    store = Path(out)
    merged = store.with_name("analyses.sqlite")
    print(f"part {part}:", analyse_part(asked_of(settings.config), int(part), PARTS, merged, store))
