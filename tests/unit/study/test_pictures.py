"""The pictures in documents are of today's pages."""

from pathlib import Path

from ci_scripts import ci_module


def test_pictures_are_of_today_s_templates(project: Path) -> None:
    pictures = ci_module("pictures")
    kept = pictures.DIGEST.read_text(encoding="utf-8").strip()
    assert kept == pictures.digest_of_sources(), "run .ci/pictures.py"
    for name in pictures.PAGES:
        assert (project / "docs" / name).read_bytes().startswith(b"\x89PNG")
