"""Read and analyse one part of a collection of match files, into a store of its own."""

from pathlib import Path

from bgrating.collection.shards import analyse_part, asked_of
from study.asked import PARTS, Asked


def run(asked: Asked, _: str, part: str, out: str) -> None:
    store = Path(out)
    before = store.with_name("analyses.sqlite")
    print(f"part {part}:", analyse_part(asked_of(asked.config), int(part), PARTS, before, store))
