"""Write the design points of a study, reduced from its matches."""

from pathlib import Path

from bgrating.play.matches import read_checked
from bgrating.tables.table_files import write_table
from study.custody import origin
from study.formula.design_points import points as reduce
from study.workflow_settings import Settings


def run(_: Settings, matches: str, out: str) -> None:
    table = Path(matches)
    write_table(
        reduce(read_checked(table)), Path(out), "study/points", **origin(Path(out), table, [table])
    )
