"""Rate the players of the tournament of the settings."""

from pathlib import Path

from bgleague.tournament.tournament_tables import write_tables
from bgrating.play.match_tables import read_checked
from bgrating.tables.provenance import one_provenance, read_provenance
from study.workflow_settings import Settings

KEPT = ("engine", "match_equity_table", "noise_mode", "analysis", "study_seed", "sides")


def run(settings: Settings, matches: str, provenance: str) -> None:
    table = Path(matches)
    of_matches = read_provenance(table)
    metadata = {name: value for name, value in of_matches.items() if name in KEPT}
    metadata["matches_sha256"] = of_matches["sha256"]
    version = settings.engine_version
    with one_provenance(Path(provenance)):
        write_tables(read_checked(table), settings.tournament, table.parent, version, metadata)
