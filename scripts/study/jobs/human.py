"""Rate a collection of match files, as the command `rate` does: its tables and its pages."""

from pathlib import Path

from bgrating.collection.rate_request import RateRequest
from bgrating.collection.rating_run import rate
from bgrating.decisions.thresholds import ERRORS
from study.workflow_settings import Settings


def run(settings: Settings, cores: str, files: str) -> None:
    config = settings.config
    request = RateRequest(
        (Path(str(config["collection"])),),
        Path(files).parents[2],
        name=str(config.get("name", "")),
        level=config["level"],
        player=str(config.get("player", "")),
        formula=str(config["formula"]),
        aliases=Path(str(config["aliases"])) if config.get("aliases") else None,
        offset=float(config["offset"]),
        engine=config["engine"],
        engine_version=config["nets"],
        cores=int(cores),
        check=ERRORS,
    )
    result = rate(request)
    for line in [*(f"Page: {page}" for page in result.pages), *result.failed_here, *result.notices]:
        print(line)
