"""Compare everything that the repository keeps with what is made and played again."""

import secrets

from bgrating.engine.process import ended_by_signals
from study.verify import verify
from study.workflow_settings import Settings


def run(settings: Settings, cores: str) -> None:
    """Print a line for each check; the setting `seed` determines which shards are played again."""
    seed = settings.config.get("seed", secrets.randbelow(10**6))
    with ended_by_signals():
        verify(int(seed), int(cores))
