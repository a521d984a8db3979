"""The pictures in documents are of today's pages."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path


def test_pictures_are_of_today_s_templates(project: Path) -> None:
    spec = spec_from_file_location("pictures", project / ".ci" / "pictures.py")
    assert spec
    assert spec.loader
    pictures = module_from_spec(spec)
    spec.loader.exec_module(pictures)
    assert pictures.DIGEST.read_text(encoding="utf-8").strip() == pictures.digest_of_sources(), (
        "run .ci/pictures.py"
    )
    for name in pictures.PAGES:
        assert (project / "docs" / name).read_bytes().startswith(b"\x89PNG")
