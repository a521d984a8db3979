"""The packages of .venv, pinned by requirements.lock. `./run` starts this with the Python of .venv, which has only pip.

environment.py install PART LOG  installs the packages of a part and of the parts before it, by uv or else by pip
environment.py check PART        prints files and folders that `./run` checks at every later start, relative to .venv:
                                 each package, and all files of click, without which no command can name what is missing
environment.py lock [OPTION...]  writes requirements.lock from requirements.in; options of `uv pip compile` may follow
"""

import ast
import contextlib
import csv
import os
import re
import shutil
import signal
import ssl
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NoReturn

from pip._vendor.packaging.requirements import Requirement

LOCK = Path("requirements.lock")
SET_UP = "set-up"
"""The part of the lock that has uv itself."""
FIRST = "setuptools"
"""Builds other packages of the lock, so it is installed before them."""
OF_UV = {
    "index-url": "UV_DEFAULT_INDEX", "extra-index-url": "UV_INDEX", "find-links": "UV_FIND_LINKS",
    "trusted-host": "UV_INSECURE_HOST", "cert": "SSL_CERT_FILE", "client-cert": "SSL_CLIENT_CERT",
    "proxy": "ALL_PROXY", "timeout": "UV_HTTP_TIMEOUT", "default-timeout": "UV_HTTP_TIMEOUT",
    "retries": "UV_HTTP_RETRIES",
}  # fmt: skip
"""pip's settings, and the variable that tells each to uv."""
COMPILE = [
    "--quiet", "--universal", "--fork-strategy", "fewest", "--python-version", "3.11",
    "--no-annotate", "--no-header", "--no-emit-index-url", "--no-emit-find-links",
]  # fmt: skip
HASH = re.compile("DO NOT MATCH THE HASHES|Hash mismatch for")
NETWORK = re.compile(
    "NewConnectionError|ConnectTimeout|NameResolutionError|ProxyError|SSLError|Read timed out"  # of pip
    "|dns error|tcp connect error|operation timed out"  # of uv
)


def read_parts(text: str) -> dict[str, list[str]]:
    """Return the parts of a lock or of requirements: their packages in order, each with its lines of hashes."""
    parts = re.split(r"^## ([\w-]+).*\n", text, flags=re.MULTILINE)[1:]
    return {
        name: re.findall(r"^(?![#\s])(?:.*\\\n)*.*\n", body, re.MULTILINE)
        for name, body in zip(parts[::2], parts[1::2], strict=True)
    }


def name_of(pin: str) -> str:
    return Requirement(re.split(r"\\\n|#", pin, maxsplit=1)[0]).name


def wanted(parts: Mapping[str, list[str]], last: str) -> list[str]:
    """Return the packages of all parts up to `last` that are for this Python and system; uv is not one of them."""
    names = [name for name in parts if name != SET_UP]
    pins = [pin for name in names[: names.index(last) + 1] for pin in parts[name]]
    markers = (Requirement(pin.partition("\\\n")[0]).marker for pin in pins)
    return [pin for pin, marker in zip(pins, markers, strict=True) if not marker or marker.evaluate()]


def damaged(pins: Iterable[str]) -> Iterator[str]:
    """Yield those of the packages that are missing, of another version, or lack a file."""
    for pin in pins:
        requirement = Requirement(pin.partition("\\\n")[0])
        try:
            installed = distribution(requirement.name)
        except PackageNotFoundError:
            yield pin
            continue
        paths = files(installed)
        if not (requirement.specifier.contains(installed.version) and paths and all(path.exists() for path in paths)):
            yield pin


def files(installed: Distribution) -> list[Path]:
    """Return the files of a package but for bytecode, also those that are gone.

    `installed.files` leaves out what is gone, from Python 3.12 on.
    """
    record = csv.reader((installed.read_text("RECORD") or "").splitlines())
    return [Path(str(installed.locate_file(row[0]))) for row in record if row and not row[0].endswith(".pyc")]


def for_uv(listed: str, environment: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Return the environment and options by which uv uses pip's index, proxy and certificates.

    `listed` is what `pip config list` prints. What the environment already tells uv stays.
    """
    settings: dict[str, str] = {}
    for group in ("global", "install", ":env:"):
        found = re.findall(rf"^{group}\.([\w-]+)=(.*)$", listed, re.MULTILINE)
        settings |= {key: str(ast.literal_eval(value)) for key, value in found}
    told = {OF_UV[key]: value for key, value in settings.items() if key in OF_UV}
    if "UV_FIND_LINKS" in told:
        told["UV_FIND_LINKS"] = ",".join(told["UV_FIND_LINKS"].split())
    if ssl.get_default_verify_paths().cafile:
        told["UV_SYSTEM_CERTS"] = "1"
    told["UV_INDEX_STRATEGY"] = "unsafe-best-match"  # as pip: any index may have what the hashes name
    is_offline = settings.get("no-index", "0").lower() in {"1", "true", "yes", "on"}
    return {**told, **environment}, ["--no-index"] * is_offline


class Progress:
    """Says on standard error how far a set-up is: on one line of a terminal, elsewhere every ten seconds."""

    def __init__(self) -> None:
        self.is_terminal = sys.stderr.isatty()
        self.said = time.monotonic()

    def show(self, text: str) -> None:
        if self.is_terminal:
            print(f"\r\033[Kbgrating: {text}", end="", file=sys.stderr, flush=True)
        elif time.monotonic() - self.said > 10:
            self.say(text)

    def say(self, text: str) -> None:
        self.said = time.monotonic()
        print(("\r\033[K" if self.is_terminal else "") + f"bgrating: {text}", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self.is_terminal:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


class Installer:
    """Installs packages of the lock into this Python's environment; all that uv and pip print goes to the log."""

    def __init__(self, log: Path) -> None:
        self.log = log
        self.progress = Progress()

    def install(self, last: str) -> None:
        """Install what is missing of a part and those before it. Exits with a sentence where that fails."""
        parts = read_parts(LOCK.read_text(encoding="utf-8"))
        pins = list(damaged(wanted(parts, last)))
        if not pins:
            return
        uv = self._find_uv(parts[SET_UP])
        tool = "uv" if uv else "pip"
        installing = f"installing {len(pins)} packages of {LOCK} with {tool}"
        self.progress.say(f"{installing}; Python compiles each at its first use")
        if not (uv and self._by_uv(uv, pins)):
            self._by_pip(list(damaged(pins)))
        self.progress.end()

    def _find_uv(self, pins: list[str]) -> str | None:
        """Return the user's uv, or the lock's, which pip installs; None where this system has none."""
        own = Path(sys.executable).with_name("uv")
        for uv in (shutil.which("uv"), shutil.which(own)):
            if uv and subprocess.run([uv, "--version"], capture_output=True, check=False).returncode == 0:
                return uv
        status, text = self._pip(pins, "--only-binary", ":all:")
        if status:
            self._explain(text)
            self.progress.say("pip finds no uv for this system, so pip installs the packages, which takes longer")
            return None
        return str(own)

    def _by_uv(self, uv: str, pins: list[str]) -> bool:
        listed = subprocess.run(
            [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=False
        ).stdout
        environment, options = for_uv(listed, os.environ)
        sizes: dict[str, float] = {}
        arrived: set[str] = set()

        def count(line: str) -> None:
            if found := re.search(r"Downloading (\S+) \(([\d.]+)MiB\)", line):
                sizes[found[1]] = float(found[2])
            elif found := re.search(r"Downloaded (\S+)", line):
                arrived.add(found[1])
            elif not line.startswith("Prepared"):
                return
            done = sum(sizes.get(name, 0) for name in arrived)
            self.progress.show(f"downloaded {done:.0f} of {sum(sizes.values()):.0f} MiB")

        for group in _in_order(pins):
            command = [uv, "pip", "install", "--python", sys.executable, *options]
            command += ["--require-hashes", "--no-deps", "--no-build-isolation", "-r", "-"]
            status, text = self._run(command, "".join(group), count, environment)
            if status:
                self._explain(text)
                error = next((line for line in text.splitlines() if line.startswith("error")), f"status {status}")
                self.progress.say(f"uv failed ({error}; see {self.log}), so pip installs the packages")
                return False
        return True

    def _by_pip(self, pins: list[str]) -> None:
        for group in _in_order(pins):
            status, text = self._pip(group)
            if status:
                self._explain(text)
                error = next((line for line in text.splitlines()[::-1] if line.startswith("ERROR")), "")
                self._die(f"pip failed: {error}")

    def _pip(self, pins: list[str], *options: str) -> tuple[int, str]:
        command = [sys.executable, "-m", "pip", "install", "--no-input", "--disable-pip-version-check"]
        command += ["--progress-bar", "off", "--no-compile", "--no-deps", "--require-hashes", "--no-build-isolation"]
        command += ["--use-pep517", *options, "-r", "/dev/stdin"]
        return self._run(command, "".join(pins), lambda _: None, os.environ)

    def _run(
        self, command: list[str], text: str, count: Callable[[str], None], environment: Mapping[str, str]
    ) -> tuple[int, str]:
        lines = []
        with (
            self.log.open("a", encoding="utf-8") as log,
            subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                env=environment, text=True, encoding="utf-8", errors="replace",
            ) as process,
        ):  # fmt: skip
            assert process.stdin
            assert process.stdout
            with contextlib.suppress(BrokenPipeError):  # it may end before it reads: its status says why
                process.stdin.write(text)
                process.stdin.close()
            for line in process.stdout:
                lines.append(line)
                log.write(line)
                log.flush()
                count(line.strip())
        return process.returncode, "".join(lines)

    def _explain(self, text: str) -> None:
        if HASH.search(text):
            self._die(f"a downloaded package is not the one that {LOCK} names (wrong hash)")
        if NETWORK.search(text):
            self._die("the package index cannot be reached: is there a network, does it want a proxy?")

    def _die(self, sentence: str) -> NoReturn:
        self.progress.end()
        sys.exit(f"bgrating: {sentence} (see {self.log})")


def _in_order(pins: list[str]) -> list[list[str]]:
    first = [pin for pin in pins if name_of(pin) == FIRST]
    return [group for group in (first, [pin for pin in pins if pin not in first]) if group]


def check(last: str) -> None:
    """Print the files and folders to check later. Exits naming the packages that are damaged."""
    pins = damaged(wanted(read_parts(LOCK.read_text(encoding="utf-8")), last))
    if names := [name_of(pin) for pin in pins]:
        sys.exit(", ".join(names))
    site = Path(sysconfig.get_path("purelib"))
    found = {path for path in site.iterdir() if path.name != "__pycache__"} | {*files(distribution("click"))}
    print(*sorted(os.path.relpath(path, sys.prefix) for path in found), sep="\n")


def write_lock(options: list[str]) -> None:
    """Write the lock from requirements.in: every package in the first part that needs it.

    Versions stay as they are where `options` and requirements.in allow it.
    """
    text = Path("requirements.in").read_text(encoding="utf-8")
    headings = re.findall(r"^## .*\n", text, re.MULTILINE)
    with TemporaryDirectory() as folder:
        whole = Path(folder, "whole.lock")
        shutil.copy(LOCK, whole)
        compiled = ["uv", "pip", "compile", *COMPILE]
        subprocess.run(
            [*compiled, "--generate-hashes", *options, "--output-file", whole, "requirements.in"], check=True
        )
        pins = {name_of(pin): pin for pin in read_parts(f"## all\n{whole.read_text(encoding='utf-8')}")["all"]}
        upto, lock = "", ""
        for heading, packages in zip(headings, read_parts(text).values(), strict=True):
            upto += "".join(packages)
            names = subprocess.run(
                [*compiled, "--constraints", whole, "-"], input=upto, text=True, check=True, stdout=subprocess.PIPE
            ).stdout
            lock += heading + "".join(
                pins.pop(name) for name in re.findall(r"^[\w-]+", names, re.MULTILINE) if name in pins
            )
    assert not pins, f"of no part: {', '.join(pins)}"
    LOCK.write_text(lock, encoding="utf-8")


def main(command: str, *words: str) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # ./run has the last word
    if command == "install":
        Installer(Path(words[1])).install(words[0])
        # scripts/ holds the packages and the Snakemake logger plugin: they are found wherever .venv is active. Python
        # reads this file in the locale's encoding, so it does not name the project's folder.
        Path(sysconfig.get_path("purelib"), "bgrating.pth").write_text("../../../../scripts\n", encoding="ascii")
    elif command == "check":
        check(words[0])
    else:
        write_lock([*words])


if __name__ == "__main__":
    main(*sys.argv[1:])
