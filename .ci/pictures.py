"""Draw the screenshots in the documents again if the templates of their pages have changed.

Usage: .venv/bin/python .ci/pictures.py
"""

import hashlib
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

PROJECT = Path(__file__).resolve().parents[1]
TEMPLATES = PROJECT / "report"
# Pictures in docs/, and the page of `rate examples/` that each shows: the first of a folder that
# matches a pattern.
PAGES = {"player.png": ("players", "advanced-*.html"), "match.png": ("matches", "*.html")}
DIGEST = PROJECT / "docs" / "pictures.sha256"
_SOURCES = (
    "base",
    "charts",
    "human_match",
    "human_player",
    "macros",
    "style",
    "board",
    "play",
    "page",
    "quiz",
    "reader",
)
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def digest_of_sources() -> str:
    """Return the digest of the templates, styles and scripts that make the pages."""
    sources = [
        path for path in sorted(TEMPLATES.iterdir()) if path.name.partition(".")[0] in _SOURCES
    ]
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()


def draw_if_changed() -> None:
    """If the templates have changed since the pictures, rate the examples and draw their pages with
    Chromium.
    """
    digest = digest_of_sources()
    if DIGEST.is_file() and DIGEST.read_text(encoding="utf-8").strip() == digest:
        return
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if browser is None:
        print(f"docs: pictures are of other templates; install one of {', '.join(_BROWSERS)}")
        return
    command = [
        browser,
        "--headless=new",
        "--no-sandbox",
        "--hide-scrollbars",
        "--window-size=1280,800",
    ]
    with TemporaryDirectory() as folder:
        rate = ["rate", str(PROJECT / "examples"), "--results", folder, "--name", "examples"]
        subprocess.run([PROJECT / "run", *rate], check=True, stdout=subprocess.DEVNULL)
        for name, (kind, pattern) in PAGES.items():
            page = min(Path(folder, "human", "examples", kind).glob(pattern))
            options = [
                "--virtual-time-budget=5000",
                f"--screenshot={PROJECT / 'docs' / name}",
                page.as_uri(),
            ]
            subprocess.run([*command, *options], check=True, stderr=subprocess.DEVNULL)
    DIGEST.write_text(f"{digest}\n", encoding="utf-8")


if __name__ == "__main__":
    draw_if_changed()
