"""Find the engine, and check its version, weights and databases before the first match."""

from pathlib import Path

from bgrating.engine.locate import engine_of
from bgrating.engine.session import check_engine
from bgrating.tables.provenance import write_atomic
from study.settings import Settings


def run(settings: Settings, out: str) -> None:
    engine = engine_of(settings.config)
    check_engine(engine)
    write_atomic(Path(out), f'{{"engine": "{engine.known.name}"}}\n')
