"""The data dictionary beside the page, the kept tables, the schemas, the rules' names."""

from pathlib import Path

from bgrating.decisions.decision_table import COLUMNS as DECISIONS
from bgrating.play.match_tables import SCHEMA
from bgrating.tables.dictionary import columns, kinds
from bgrating.tables.table_files import read_table, write_table
from repository_files import tracked

# Subjects whose folders do not have their names, and tables whose files do not.
SUBJECTS = {"people-depth": "people"}
ANSWERS = {
    "before.csv": "calibration/calibration",
    "coefficients.csv": "study/answer",
}  # of an engine, beside its formula.json


def test_every_table_that_is_kept_is_as_it_is_written_today(project: Path, tmp_path: Path) -> None:
    subjects = {kind.partition("/")[0] for kind in kinds()}
    for path in sorted(kept()):
        subject = next((part for part in path.parts if part in {*SUBJECTS, *subjects}), "study")
        kind = ANSWERS.get(
            path.name if len(path.parts) == 3 else "",
            f"{SUBJECTS.get(subject, subject)}/{path.stem}",
        )
        table = read_table(project / path)
        write_table(table, tmp_path / path.name, kind)
        assert (tmp_path / path.name).read_bytes() == (project / path).read_bytes(), path


def kept() -> list[Path]:
    """Return the tables that the repository keeps and a rule makes."""
    names = tracked("results/*.csv")
    # Powers of tests were committed before their matches: those bytes stay as they are.
    paths = [
        Path(name)
        for name in names
        if "published" not in name and "-range-" not in name and "-power" not in name
    ]
    assert len(paths) > 70
    return paths


def test_tables_of_rows_have_its_columns() -> None:
    assert columns("human/decisions") == DECISIONS.names
    about = columns("study/matches")
    assert [name for name in about if "…" not in name] == SCHEMA.names[: len(about) - 2]
    for first, last in (name.split(" … ") for name in about if "…" in name):
        assert {first, last} <= set(SCHEMA.names)
