"""What a rule's results depend on is found from the imports of its script."""

from bgrating.entry import modules


def test_modules_that_are_imported_by_others_are_found() -> None:
    found = modules("fit")
    assert "scripts/study/formula/catalogue.py" in found
    assert "scripts/study/formula/regressions.py" in found  # the catalogue imports it, the script does not
    assert "scripts/study/style.py" not in found
    assert "scripts/study/formula/points.py" in modules("study/comparison")
    assert "scripts/study/law/__init__.py" in modules("study/law/tables")  # the names of its studies and tables
