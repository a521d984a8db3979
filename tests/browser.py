"""Pages in a headless Chromium: scripts, keys, fingers, pictures, and an audit by axe-core."""

import atexit
import base64
import json
import os
import re
import shutil
import subprocess
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

OPTIONS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars")
OPTIONS += ("--disable-background-networking",)
SEEN = ((1280, False), (1280, True), (400, False), (400, True))
"""Widths in pixels at which pages are looked at, and whether dark."""
Look = Callable[[str, Path], None]
_CODES = {"Tab": 9, "Enter": 13, "Home": 36, "ArrowRight": 39}
_SAID = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
READY = (
    "(location.protocol === 'file:' || location.protocol === 'http:') && document.readyState ==="
    " 'complete' && (!document.getElementById('decisions') ||"
    " document.documentElement.dataset.drawn !== undefined)"
)
"""Whether a page is there, and has drawn its boards if it has any."""
_LEFT = {"Cannot find default execution context", "Inspected target navigated or closed"}
"""What Chromium answers instead if a page is left for another while it is asked."""
_AXE = """axe.run({resultTypes: ["violations"]}).then(found => found.violations.map(
  one => [one.id, one.nodes.map(node => node.target.join(" ")).slice(0, 3)]))"""


def told_in(page: str) -> dict[str, Any]:
    found = re.search(r'id="decisions">(.*?)</script>', page)
    told: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(found[1]))) if found else {}
    return told


is_wanted = True


class BrowserError(Exception):
    """Chromium answers that it cannot do what it was told to."""


class Chromium:
    """The browser of a process of tests. Each page is a tab; it ends when its pipe is closed."""

    def __init__(self) -> None:
        if not is_wanted:
            pytest.skip("--fast opens no browser")
        names = ("chromium", "chromium-browser", "google-chrome")
        program = next((path for name in names if (path := shutil.which(name))), None)
        if program is None:
            pytest.skip("no Chromium on this machine (Debian: package chromium)")
        self._profile, self._number = TemporaryDirectory(prefix="bgrating-browser-"), 0
        (to_read, commands), (answers, to_write) = os.pipe(), os.pipe()
        # Chromium hears commands on file 3 and answers on file 4.
        command = ["bash", "-c", f'exec "$0" "$@" 3<&{to_read} 4>&{to_write}', program, *OPTIONS]
        command += ["--remote-debugging-pipe", f"--user-data-dir={self._profile.name}"]
        theirs = (to_read, to_write)
        self._process = subprocess.Popen(command, pass_fds=theirs, stderr=subprocess.DEVNULL)
        for end in theirs:
            os.close(end)
        self._commands = os.fdopen(commands, "wb", buffering=0)
        self._answers = os.fdopen(answers, "rb")
        atexit.register(self.end)

    def end(self) -> None:
        self._commands.close()
        self._answers.close()
        self._process.wait(600)
        self._profile.cleanup()

    def call(
        self, method: str, session: dict[str, str], heard: list[dict[str, Any]], **parameters: Any
    ) -> Any:
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters} | session
        self._commands.write(json.dumps(message).encode() + b"\0")
        while True:  # events stand between answers
            told = json.loads(b"".join(iter(lambda: self._answers.read(1), b"\0")))
            if told.get("id") == self._number:
                if "error" in told:
                    raise BrowserError(told["error"]["message"])
                return told["result"]
            if told.get("sessionId") == session.get("sessionId"):
                heard.append(told)


_chromium = cache(Chromium)


class Page:
    """A page in a tab: keys that the browser takes for a person's, and answers of scripts."""

    def __init__(self, page: Path | str) -> None:
        self._session: dict[str, str] = {}
        self._events: list[dict[str, Any]] = []
        made = self._call("Target.createTarget", url="about:blank")
        self._target = {"targetId": made["targetId"]}
        attached = self._call("Target.attachToTarget", **self._target, flatten=True)
        self._session = {"sessionId": attached["sessionId"]}
        for domain in ("Runtime", "Log", "Network"):
            self._call(f"{domain}.enable")
        self.go(page)

    def go(self, page: Path | str) -> None:
        self._call("Page.navigate", url=page if isinstance(page, str) else page.resolve().as_uri())
        self.until(READY)

    def run_first(self, script: str) -> None:
        """Run a script before those of each page that is loaded from now on."""
        self._call("Page.enable")
        self._call("Page.addScriptToEvaluateOnNewDocument", source=script)

    def close(self) -> None:
        self._session = {}
        self._call("Target.closeTarget", **self._target)

    def press(self, key: str) -> None:
        about = {"key": key, "code": key, "windowsVirtualKeyCode": _CODES[key]}
        text = {"text": "\r"} if key == "Enter" else {}
        self._call("Input.dispatchKeyEvent", type="keyDown", **about, **text)
        self._call("Input.dispatchKeyEvent", type="keyUp", **about)

    def swipe(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Move a finger over the screen."""
        for kind, points in (("touchStart", [start]), ("touchMove", [end]), ("touchEnd", [])):
            touched = [{"x": x, "y": y} for x, y in points]
            self._call("Input.dispatchTouchEvent", type=kind, touchPoints=touched)

    def show_on_paper(self) -> None:
        self._call("Emulation.setEmulatedMedia", media="print")

    def without_scripts(self) -> None:
        """Load the page again as a browser that runs no scripts."""
        self._call("Emulation.setScriptExecutionDisabled", value=True)
        self._call("Page.reload")
        self.until("document.readyState === 'complete'")

    def paper(self) -> str:
        """Return the text of the page as it is printed, with a form feed after each sheet."""
        program = shutil.which("pdftotext")
        if program is None:
            pytest.skip("no pdftotext on this machine (Debian: package poppler-utils)")
        made = self._call("Page.printToPDF", preferCSSPageSize=True, printBackground=True)
        printed = base64.b64decode(made["data"])
        return subprocess.check_output([program, "-layout", "-", "-"], input=printed).decode()

    def resize(self, width: int, height: int = 900) -> None:
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._call("Emulation.setDeviceMetricsOverride", **size)

    def picture(self, width: int, *, dark: bool) -> bytes:
        """Return what the page looks like as a PNG."""
        self.resize(width, 1800)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._call("Emulation.setEmulatedMedia", features=[scheme])
        return base64.b64decode(self._call("Page.captureScreenshot")["data"])

    def asked(self) -> list[str]:
        """Return the addresses that the page has asked for."""
        sent = [one for one in self._events if one["method"] == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"] for event in sent]

    def said(self) -> list[str]:
        """Return what stands in the page's console."""
        return [json.dumps(event) for event in self._events if event["method"] in _SAID]

    def ask(self, script: str) -> Any:
        about = {"expression": script, "returnByValue": True, "awaitPromise": True}
        answer = self._call("Runtime.evaluate", **about)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def until(self, script: str) -> Any:
        end = time.monotonic() + 600
        while not (found := self._answer(script)):
            is_late = time.monotonic() >= end
            assert not is_late, f"never true: {script}; {self.ask('document.body.innerText')}"
            time.sleep(0.05)
        return found

    def _answer(self, script: str) -> Any:
        """Do the same as `ask`, but return None if the page is just being left for another."""
        try:
            return self.ask(script)
        except BrowserError as error:
            if str(error) not in _LEFT:
                raise
            return None

    def axe(self, script: Path) -> Any:
        self.ask(script.read_text(encoding="utf-8") + "\nnull")
        return self.ask(_AXE)

    def _call(self, method: str, **parameters: Any) -> Any:
        return _chromium().call(method, self._session, self._events, **parameters)


@contextmanager
def opened(page: Path | str) -> Iterator[Page]:
    one = Page(page)
    try:
        yield one
    finally:
        one.close()
