"""Find the engine, and check its version, weights and databases before the first match."""

from pathlib import Path

from bgrating.engine.locate import engine_of
from bgrating.engine.session import check_engine
from bgrating.tables.provenance import write_atomic
from study.asked import Asked


def run(asked: Asked, out: str) -> None:
    engine = engine_of(asked.config)
    check_engine(engine)
    write_atomic(Path(out), f'{{"engine": "{engine.known.name}"}}\n')
