"""Rate a collection of match files, as the command `rate` does: its tables and its pages."""

from pathlib import Path

from bgmatch.records import Record
from bgrating.collection.rate_request import RateRequest
from bgrating.collection.rating_run import rate
from bgrating.decisions.thresholds import ERRORS
from study.workflow_settings import Settings


def run(settings: Settings, cores: str, files: str) -> None:
    result = rate(request_of(settings.config, Path(files).parents[2], int(cores)))
    for line in [*(f"Page: {page}" for page in result.pages), *result.failed_here, *result.notices]:
        print(line)


def request_of(config: Record, results: Path, cores: int) -> RateRequest:
    """Return the request of Snakemake's settings."""
    return RateRequest(
        (Path(str(config["collection"])),),
        results,
        name=str(config.get("name", "")),
        level=config["level"],
        player=str(config.get("player", "")),
        formula=str(config["formula"]),
        aliases=Path(str(config["aliases"])) if config.get("aliases") else None,
        offset=float(config["offset"]),
        engine=config["engine"],
        nets=config["nets"],
        cores=cores,
        check=ERRORS,
    )
