"""Pages in a headless Chromium: what a script finds in them, what they look like, what axe-core says of them."""

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

OPTIONS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--hide-scrollbars")
SEEN = ((1280, False), (1280, True), (400, False), (400, True))
"""Widths in pixels at which pages are looked at, and whether dark."""
_POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')
_RUN_AXE = """<pre id="result">nothing</pre><script>
axe.run({exclude: [["#result"]]}, {resultTypes: ["violations"]}).then(found => {
  const told = found.violations.map(one => [one.id, one.nodes.map(node => node.target.join(" ")).slice(0, 3)]);
  document.getElementById("result").textContent = JSON.stringify(told);
});
</script>"""


def chromium() -> str:
    """Return the browser; skip where there is none."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = next((path for name in names if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("no Chromium on this machine (Debian: package chromium)")
    return found


def result(page: Path, folder: Path) -> Any:
    """Open a page, let its scripts run and return the JSON that they leave in the element `result`."""
    command = [
        chromium(), *OPTIONS, "--allow-file-access-from-files", f"--user-data-dir={folder / 'profile'}",
        "--virtual-time-budget=20000", "--dump-dom", page.as_uri(),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    return json.loads(html.unescape(done.stdout.split('<pre id="result">')[1].split("</pre>")[0]))


def picture(page: Path, file: Path, width: int, *, dark: bool, folder: Path) -> str:
    """Write what a page looks like as a PNG; return what the browser's console said."""
    command = [
        chromium(), *OPTIONS, f"--user-data-dir={folder / 'profile'}", f"--window-size={width},1800",
        "--enable-logging=stderr", "--v=0", f"--screenshot={file}",
        *(["--blink-settings=preferredColorScheme=0"] if dark else []), page.as_uri(),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    return "\n".join(line for line in done.stderr.splitlines() if "CONSOLE" in line)


def axe(page: Path, script: Path, folder: Path) -> Any:
    """Return the violations that axe-core (the file axe.min.js) finds: rule and places."""
    text = _POLICY.sub("", page.read_text(encoding="utf-8"))
    body, end = text.rsplit("</body>", 1)
    run = f"<script>{script.read_text(encoding='utf-8')}</script>{_RUN_AXE}"
    (folder / "audited.html").write_text(f"{body}{run}</body>{end}", encoding="utf-8")
    return result(folder / "audited.html", folder)
