"""The pictures in documents are of today's pages."""

from study.pictures import DIGEST, PAGES, PROJECT, digest_of_sources


def test_pictures_are_of_today_s_templates() -> None:
    assert DIGEST.read_text(encoding="utf-8").strip() == digest_of_sources(), "run ./run documents"
    for name in PAGES:
        assert (PROJECT / "docs" / name).read_bytes().startswith(b"\x89PNG")
