"""The pictures of pages in documents, made again when the templates of these pages have changed."""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from bgrating.pages.template import TEMPLATES
from bgrating.tables.provenance import write_atomic

PROJECT = Path(__file__).parents[2]
PAGES = {"player.png": ("players", "advanced-*.html"), "match.png": ("matches", "*.html")}
"""Pictures in docs/, and which page of `rate examples/` each shows: the first in a folder with such a name."""
DIGEST = PROJECT / "docs" / "pictures.sha256"
_SOURCES = ("base", "human_base", "human_match", "human_player", "macros", "style", "board", "play", "page", "quiz")
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def digest_of_sources() -> str:
    """Return the digest of the templates, styles and scripts that make the pages."""
    found = hashlib.sha256()
    for path in sorted(TEMPLATES.iterdir()):
        if path.name.partition(".")[0] in _SOURCES:
            found.update(path.read_bytes())
    return found.hexdigest()


def draw_if_changed() -> None:
    """Rate the examples and draw their pages with Chromium, where the templates are not those of the pictures."""
    digest = digest_of_sources()
    if DIGEST.is_file() and DIGEST.read_text(encoding="utf-8").strip() == digest:
        return
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if browser is None:
        print(f"docs: pictures are of other templates; install one of {', '.join(_BROWSERS)}")
        return
    with TemporaryDirectory() as folder:
        rate = ["rate", str(PROJECT / "examples"), "--results", folder, "--name", "examples"]
        subprocess.run([sys.executable, "-m", "bgrating", *rate], check=True, stdout=subprocess.DEVNULL)
        for name, (kind, pattern) in PAGES.items():
            page = min(Path(folder, "human", "examples", kind).glob(pattern))
            options = [
                "--headless=new",
                "--no-sandbox",
                "--hide-scrollbars",
                "--window-size=1280,800",
                "--virtual-time-budget=5000",
            ]
            picture = f"--screenshot={PROJECT / 'docs' / name}"
            subprocess.run([browser, *options, picture, page.as_uri()], check=True, stderr=subprocess.DEVNULL)
    write_atomic(DIGEST, f"{digest}\n")
