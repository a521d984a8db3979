"""Every table of the comparison, with and without the studies that it needs."""

import pytest

from study.comparison import TABLES
from study.comparison.tables import tables


@pytest.mark.slow
def test_studies_not_played_leave_their_tables_without_rows(part2):
    none = tables({})
    assert list(none) == list(TABLES)
    assert all(table.empty for table in none.values())
    some = tables({"part2": part2})
    assert {name for name, table in some.items() if table.empty} == {"out_of_sample"}
