"""Reduce a study's matches to its design points."""

from pathlib import Path

from bgrating.play.matches import read_checked
from bgrating.tables.tables import write_table
from study.asked import Asked
from study.custody import origin
from study.formula.points import points as reduce


def run(_: Asked, __: str, matches: str, out: str) -> None:
    played = Path(matches)
    rows = reduce(read_checked(played))
    write_table(rows, Path(out), "study/points", **origin(Path(out), played, [played]))
