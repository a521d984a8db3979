"""Rate the players of a tournament."""

from pathlib import Path

from bgrating.play.matches import read_checked
from bgrating.tables.provenance import one_provenance, read_provenance
from bgrating.tournament.design import STUDY
from bgrating.tournament.tables import write_tables
from study.asked import Asked

KEPT = ("engine", "match_equity_table", "noise_mode", "analysis", "study_seed", "sides")


def run(asked: Asked, _: str, name: str, matches: str, provenance: str) -> None:
    table = Path(matches)
    facts = read_provenance(table)
    about = {"matches_sha256": facts["sha256"], **{name: facts[name] for name in KEPT if name in facts}}
    with one_provenance(Path(provenance)):
        one = asked.tournaments[f"{STUDY}{name}"]
        write_tables(read_checked(table), one, table.parent, asked.nets, about)
