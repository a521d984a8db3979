"""Reduce a study's matches to its design points."""

from pathlib import Path

from bgrating.play.matches import read_checked
from bgrating.tables.provenance import sha256
from bgrating.tables.tables import inherited, write_table
from study.asked import Asked
from study.custody import made_of
from study.formula.points import points as reduce


def run(_: Asked, __: str, matches: str, out: str) -> None:
    played = Path(matches)
    write_table(
        reduce(read_checked(played)),
        Path(out),
        "study/points",
        **inherited(played),
        **made_of(Path(out), {played: sha256(played)}),
    )
