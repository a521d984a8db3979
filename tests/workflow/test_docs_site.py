"""The documents as a site: built without a warning, and read as files."""

import os
import sys
from pathlib import Path

import pytest

import bgmatch
import bgrating
from browser import Look
from commands import run

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs") / "site"
    mkdocs = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder]
    # mkdocs-material advertises on standard error.
    done = run(mkdocs, cwd=project, env=os.environ | {"NO_MKDOCS_2_WARNING": "true"})
    assert (done.returncode, "WARNING" in done.stderr) == (0, False), done.stderr
    return folder


def test_every_public_name_has_an_entry(site: Path) -> None:
    for package in (bgrating, bgmatch):
        page = (site / "reference" / f"{package.__name__}.html").read_text(encoding="utf-8")
        for name in package.__all__:
            assert f'id="{package.__name__}.{name}"' in page, name


def test_the_site_holds_what_documents_link_to(site: Path, project: Path) -> None:
    picture = "results/1.08/tournament/ladder-1-point/outcomes.png"
    assert (site / "project" / picture).read_bytes() == (project / picture).read_bytes()
    assert f'src="project/{picture}"' in (site / "engines.html").read_text(encoding="utf-8")
    assert (site / "ubgi_engine.py").is_file()


def test_nothing_of_the_site_is_loaded_from_elsewhere(site: Path, look: Look) -> None:
    """The start, a guide and a page of reference, as a reader sees them."""
    for name in ("index", "rate", "reference/bgrating"):
        page = site / f"{name}.html"
        text = page.read_text(encoding="utf-8")
        assert 'src="http' not in text
        look(f"docs-{page.stem}", page)
