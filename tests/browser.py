"""Pages in a headless Chromium: what a script finds in them, what they look like, what axe-core says of them."""

import base64
import html
import json
import os
import re
import shutil
import subprocess
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pytest

OPTIONS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--hide-scrollbars")
SEEN = ((1280, False), (1280, True), (400, False), (400, True))
"""Widths in pixels at which pages are looked at, and whether dark."""
_CODES = {"Tab": 9, "Enter": 13, "Home": 36, "ArrowRight": 39}
_HEARD = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded", "Network.requestWillBeSent")
_POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')
_RUN_AXE = """<pre id="result">nothing</pre><script>
axe.run({exclude: [["#result"]]}, {resultTypes: ["violations"]}).then(found => {
  const told = found.violations.map(one => [one.id, one.nodes.map(node => node.target.join(" ")).slice(0, 3)]);
  document.getElementById("result").textContent = JSON.stringify(told);
});
</script>"""


def chromium() -> str:
    names = ("chromium", "chromium-browser", "google-chrome")
    found = next((path for name in names if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("no Chromium on this machine (Debian: package chromium)")
    return found


def result(page: Path, folder: Path, *options: str) -> Any:
    """Open a page, let its scripts run and return the JSON that they leave in the element `result`."""
    command = [
        chromium(), *OPTIONS, *options, "--allow-file-access-from-files", f"--user-data-dir={folder / 'profile'}",
        "--virtual-time-budget=20000", "--dump-dom", page.as_uri(),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    return json.loads(html.unescape(done.stdout.split('<pre id="result">')[1].split("</pre>")[0]))


DRAWN = """
const isDrawn = page => !page.getElementById("decisions") || page.documentElement.dataset.drawn !== undefined;
const drawn = async frame => { while (!isDrawn(frame.contentDocument)) await new Promise(go => setTimeout(go, 9)); };
"""
"""A script's function that waits until the page of a frame has drawn its boards."""
READY = (
    "(location.protocol === 'file:' || location.protocol === 'http:') && document.readyState === 'complete' "
    "&& (!document.getElementById('decisions') || document.documentElement.dataset.drawn !== undefined)"
)
"""Whether a page is there, and has drawn its boards if it has any."""


def told_in(page: str) -> dict[str, Any]:
    found = re.search(r'id="decisions">(.*?)</script>', page)
    told: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(found[1]))) if found else {}
    return told


class Keyboard:
    """A page under a keyboard: keys that the browser takes for a person's, and what scripts find after them."""

    def __init__(self, commands: IO[bytes], answers: IO[bytes], page: Path | str) -> None:
        self._commands, self._answers = commands, answers
        self._number, self._session = 0, {}
        self.heard: list[str] = []
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = {"sessionId": self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]}
        for domain in ("Runtime", "Log", "Network"):
            self._call(f"{domain}.enable")
        self._call("Page.navigate", url=page if isinstance(page, str) else page.as_uri())
        self.until(READY)

    def press(self, key: str) -> None:
        text = {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            about = {"key": key, "code": key, "windowsVirtualKeyCode": _CODES[key]}
            self._call("Input.dispatchKeyEvent", type=kind, **about, **(text if kind == "keyDown" else {}))

    def swipe(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Move a finger over the screen."""
        for kind, points in (("touchStart", [start]), ("touchMove", [end]), ("touchEnd", [])):
            self._call("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y} for x, y in points])

    def show_on_paper(self) -> None:
        self._call("Emulation.setEmulatedMedia", media="print")

    def resize(self, width: int) -> None:
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)

    def ask(self, script: str) -> Any:
        about = {"expression": script, "returnByValue": True, "awaitPromise": True}
        return self._call("Runtime.evaluate", **about)["result"].get("value")

    def until(self, script: str, seconds: float = 120.0) -> Any:
        end = time.monotonic() + seconds
        while not (found := self.ask(script)):
            assert time.monotonic() < end, f"never true: {script}; the page: {self.ask('document.body.innerText')}"
            time.sleep(0.2)
        return found

    def _call(self, method: str, **parameters: Any) -> Any:
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters} | self._session
        self._commands.write(json.dumps(message).encode() + b"\0")
        while True:  # events stand between answers
            told = json.loads(b"".join(iter(lambda: self._answers.read(1), b"\0")))
            if told.get("id") == self._number:
                return told["result"]
            if told.get("method") in _HEARD:
                self.heard.append(json.dumps(told))


@contextmanager
def keyboard(page: Path | str, folder: Path) -> Iterator[Keyboard]:
    (to_read, commands), (answers, to_write) = os.pipe(), os.pipe()
    # Chromium hears commands on file 3 and answers on file 4.
    command = ["bash", "-c", f'exec "$0" "$@" 3<&{to_read} 4>&{to_write}', chromium(), *OPTIONS]
    command += ["--remote-debugging-pipe", f"--user-data-dir={folder / 'profile'}"]
    with subprocess.Popen(command, pass_fds=(to_read, to_write), stderr=subprocess.DEVNULL) as process:
        os.close(to_read)
        os.close(to_write)
        with os.fdopen(commands, "wb", buffering=0) as writing, os.fdopen(answers, "rb") as reading:
            yield Keyboard(writing, reading, page)
            process.terminate()


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
    text = _POLICY.sub("", page.read_text(encoding="utf-8"))
    body, end = text.rsplit("</body>", 1)
    run = f"<script>{script.read_text(encoding='utf-8')}</script>{_RUN_AXE}"
    (folder / "audited.html").write_text(f"{body}{run}</body>{end}", encoding="utf-8")
    return result(folder / "audited.html", folder)
