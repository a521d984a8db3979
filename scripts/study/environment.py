"""Set up .venv for ./run.

`python -m study.environment PART` installs a part of requirements.lock and those before it into
.venv.
"""

import ast
import fcntl
import os
import re
import shutil
import subprocess
import sys

from study.dependencies import LOCK, PARTS, ROOT, name_of, pins, requirements

VENV = ROOT / ".venv"
LOG = ROOT / "logs" / "setup.log"
PYTHON = str(VENV / "bin" / "python")
LISTED = VENV / "listed"
# Where there is no network, pip would try for minutes; uv gives up within seconds.
PIP = [
    PYTHON,
    "-m",
    "pip",
    "install",
    "--no-input",
    "--disable-pip-version-check",
    "--progress-bar=off",
    "--retries=1",
]
PIP += ["--timeout=15", "--only-binary=:all:"]
# The variable of uv for each setting of pip.
UV = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "cert": "SSL_CERT_FILE",
    "proxy": "ALL_PROXY",
    "no-index": "UV_OFFLINE",
}
# Patterns in the output of uv, and of pip that installs it, and the sentence for the user.
REASONS = {
    "[Hh]ash mismatch|DO NOT MATCH THE HASHES": (
        "a downloaded package is not the one that requirements.lock names (wrong hash)"
    ),
    (
        "Failed to fetch|error sending request|ConnectionError|ConnectTimeout|NameResolution"
        "|NewConnection|ProxyError|SSLError|timed out"
    ): ("the package index cannot be reached: is there a network, does it want a proxy?"),
}


def main(part: str) -> None:
    """Set up a part; wait for any other set-up of this folder.

    Exits with a sentence if that fails.
    """
    if os.path.lexists(VENV) and os.lstat(VENV).st_uid != os.geteuid():
        sys.exit(
            f"bgrating: {VENV} is of another user, who may set it up: make a clone of your own"
        )
    LOG.parent.mkdir(exist_ok=True)
    with LOG.open("a", encoding="utf-8") as log:
        try:
            fcntl.flock(log, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another ./run to finish the set-up")
            fcntl.flock(log, fcntl.LOCK_EX)
        except OSError:  # a disk without locks: nobody waits
            pass
        if not is_ready(part):
            log.truncate(0)
            make(PARTS[: PARTS.index(part) + 1])


def say(sentence: str) -> None:
    print(f"bgrating: {sentence}", file=sys.stderr, flush=True)


def stamp() -> str:
    """Return the text of a stamp.

    It identifies the folder, the Python and the lock that .venv was made for.
    """
    with LOCK.open("rb") as lock:
        checksum = subprocess.check_output(["cksum"], stdin=lock, text=True)
    return f"{ROOT} {os.path.realpath(PYTHON)} {checksum}"


def is_ready(part: str) -> bool:
    """Return whether a part is installed, by the same test as ./run at every start."""
    path = VENV / f"{part}.stamp"
    if not (path.is_file() and LISTED.is_file() and path.read_text(encoding="utf-8") == stamp()):
        return False
    return all((VENV / name).exists() for name in LISTED.read_text(encoding="utf-8").splitlines())


def make(parts: tuple[str, ...]) -> None:
    """Make .venv unless one of its parts is ready.

    Install these parts, and write their stamps last.
    """
    if os.path.lexists(VENV) and not (VENV / "made-by-run").is_file():
        sys.exit(
            "bgrating: .venv is there, but ./run did not make it: move it away, then start again."
        )
    if not any(map(is_ready, PARTS)):
        say("making .venv")
        if VENV.exists():
            shutil.rmtree(VENV)
        VENV.mkdir()
        (VENV / "made-by-run").touch()
        # sys.executable may be in the .venv just deleted.
        base = getattr(sys, "_base_executable", sys.executable)
        if not succeeds([base, "-m", "venv", str(VENV)]):
            sys.exit(f"bgrating: '{base} -m venv .venv' failed (see logs/setup.log)")
    # If the set-up is stopped after this, the next one installs everything again.
    for path in VENV.glob("*.stamp"):
        path.unlink()
    install({name_of(line) for line in requirements(*parts)})
    site = next(VENV.glob("lib/python*/site-packages"))
    # Python finds scripts/ wherever .venv is active. The path is relative: Python decodes this file
    # by the locale.
    (site / "bgrating.pth").write_text("../../../../scripts\n", encoding="ascii")
    # Every start checks each package and all of click, without which no command can report what is
    # missing.
    checked = [
        path for path in (*site.iterdir(), *site.glob("click/*")) if path.name != "__pycache__"
    ]
    LISTED.write_text("".join(f"{path.relative_to(VENV)}\n" for path in checked), encoding="utf-8")
    for part in parts:
        (VENV / f"{part}.stamp").write_text(stamp(), encoding="utf-8")


def install(names: set[str]) -> None:
    """Install packages and their dependencies by the user's uv, or else by the lock's, which pip
    installs.
    """
    os.environ |= environment_of_uv(PYTHON)
    say("installing packages with uv; logs/setup.log tells how far")
    uv = shutil.which("uv") or str(VENV / "bin" / "uv")
    is_there = os.access(uv, os.X_OK) or install_pinned(
        PIP, {name_of(line) for line in requirements("set-up")}
    )
    # The pinned setuptools builds packages without a wheel.
    by_uv = [uv, "pip", "install", "--python", PYTHON]
    if os.environ.get("PYTHONDONTWRITEBYTECODE"):  # modules cannot be compiled at first use
        by_uv.append("--compile-bytecode")
    if is_there and install_pinned(by_uv, names & {"setuptools"}) and install_pinned(by_uv, names):
        return
    output = LOG.read_text(encoding="utf-8", errors="replace")
    reasons = [reason for pattern, reason in REASONS.items() if re.search(pattern, output)]
    errors = [line for line in output.splitlines() if line.startswith(("ERROR", "error"))]
    sys.exit(f"bgrating: {(reasons or errors or ['uv failed'])[0]} (see logs/setup.log)")


def install_pinned(command: list[str], names: set[str]) -> bool:
    """Install packages and their dependencies exactly as the lock pins them.

    Return whether that succeeded.
    """
    path = VENV / "pins.txt"
    path.write_text("".join(pins(names).values()), encoding="utf-8")
    return succeeds(
        [*command, "--require-hashes", "--no-deps", "--no-build-isolation", "-r", str(path)]
    )


def succeeds(command: list[str]) -> bool:
    """Run a program with its output in the log; return whether its status was 0."""
    with LOG.open("ab") as log:
        return not subprocess.call(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)


def environment_of_uv(python: str) -> dict[str, str]:
    """Return an environment in which uv uses the index, proxy and certificates of a Python's
    pip.
    """
    config = subprocess.run(
        [python, "-m", "pip", "config", "list"], capture_output=True, text=True, check=False
    )
    return uv_variables(config.stdout) | os.environ


def uv_variables(config: str) -> dict[str, str]:
    """Return the variables that give uv the settings that `pip config list` printed."""
    # As with pip, any index may have the pinned files.
    variables = {"UV_INDEX_STRATEGY": "unsafe-best-match"}
    for key, value in re.findall(r"^[\w:]+\.([\w-]+)=(.*)$", config, re.MULTILINE):
        if key in UV:
            variables.setdefault(UV[key], str(ast.literal_eval(value)))
    if "UV_FIND_LINKS" in variables:
        variables["UV_FIND_LINKS"] = ",".join(variables["UV_FIND_LINKS"].split())
    return variables


if __name__ == "__main__":
    os.environ.pop("PYTHONPATH")  # ./run sets it for this process alone
    try:
        main(*sys.argv[1:])
    except OSError as problem:
        sys.exit(f"bgrating: {problem}: fix this, then start the same command again")
    except KeyboardInterrupt:
        say("stopped; start the same command again to go on")
        sys.exit(130)
