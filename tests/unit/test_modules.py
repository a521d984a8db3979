"""What a rule's results depend on is found from the imports of its script."""

from bgrating.modules import modules


def test_modules_that_are_imported_by_others_are_found() -> None:
    found = modules("fit", "model")
    assert "scripts/bgrating/model/catalogue.py" in found
    assert "scripts/bgrating/model/clustered.py" in found  # the catalogue imports it, the script does not
    assert "scripts/bgrating/model/published.py" not in found
    assert all(path.startswith("scripts/bgrating/model/") for path in found)
    assert "scripts/bgrating/compare/rivals.py" in modules("compare", "model", "compare")
