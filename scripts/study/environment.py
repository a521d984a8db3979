"""`python -m study.environment PART` makes .venv with a part of requirements.lock and those before it, for ./run."""

import ast
import fcntl
import os
import re
import shutil
import subprocess
import sys

from study.dependencies import LOCK, PARTS, ROOT, name_of, pins, requirements

VENV, LOG = ROOT / ".venv", ROOT / "logs" / "setup.log"
PYTHON, LISTED = str(VENV / "bin" / "python"), VENV / "listed"
UV = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "cert": "SSL_CERT_FILE",
    "proxy": "ALL_PROXY",
    "no-index": "UV_OFFLINE",
}
"""pip's settings, and the variables that tell them to uv."""
REASONS = {
    "DO NOT MATCH THE HASHES": "a downloaded package is not the one that requirements.lock names (wrong hash)",
    "ConnectionError|ConnectTimeout|NameResolution|ProxyError|SSLError|Read timed out": "the package index cannot be "
    "reached: is there a network, does it want a proxy?",
}
COMPILED = "-compiled" if os.environ.get("PYTHONDONTWRITEBYTECODE") else ""
"""Ends the stamp of a part whose modules were compiled in set-up, since they may not be at first use."""


def main(part: str) -> None:
    """Set up a part, after any other set-up of this folder. Exits with a sentence where that fails."""
    LOG.parent.mkdir(exist_ok=True)
    with LOG.open("a", encoding="utf-8") as log:
        try:
            fcntl.flock(log, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another ./run to finish the set-up")
            fcntl.flock(log, fcntl.LOCK_EX)
        if not is_ready(part + COMPILED):
            log.truncate(0)
            make(PARTS[: PARTS.index(part) + 1])


def say(sentence: str) -> None:
    print(f"bgrating: {sentence}", file=sys.stderr, flush=True)


def stamp() -> str:
    """Return what is written into the stamp of a part: .venv is for this folder, Python and lock."""
    with LOCK.open("rb") as lock:
        checksum = subprocess.check_output(["cksum"], stdin=lock, text=True)
    return f"{ROOT} {os.path.realpath(PYTHON)} {checksum}"


def is_ready(part: str) -> bool:
    """Tell whether a part is there, as ./run does at every start."""
    path = VENV / f"{part}.stamp"
    if not (path.is_file() and LISTED.is_file() and path.read_text(encoding="utf-8") == stamp()):
        return False
    return all((VENV / name).exists() for name in LISTED.read_text(encoding="utf-8").splitlines())


def make(parts: tuple[str, ...]) -> None:
    """Make .venv unless one of its parts is ready; install the parts that are asked for, and stamp them last."""
    if os.path.lexists(VENV) and not (VENV / "made-by-run").is_file():
        sys.exit("bgrating: .venv is there, but ./run did not make it: move it away, then start again.")
    if not any(map(is_ready, PARTS)):
        say("making .venv")
        if VENV.exists():
            shutil.rmtree(VENV)
        VENV.mkdir()
        (VENV / "made-by-run").touch()
        base = getattr(sys, "_base_executable", sys.executable)  # the other may have been in that .venv
        if not did([base, "-m", "venv", str(VENV)]):
            sys.exit(f"bgrating: '{base} -m venv .venv' failed (see logs/setup.log)")
    for path in VENV.glob("*.stamp"):  # a set-up that is stopped from here on starts anew
        path.unlink()
    install({name_of(line) for line in requirements(*parts)})
    site = next(VENV.glob("lib/python*/site-packages"))
    # scripts/ is found wherever .venv is active. Python reads this file in the locale's encoding: it names no folder.
    (site / "bgrating.pth").write_text("../../../../scripts\n", encoding="ascii")
    if COMPILED:
        say("compiling all packages, since PYTHONDONTWRITEBYTECODE forbids it later")
        did([PYTHON, "-m", "compileall", "-q", "-j0", "-x", "/tests?/", str(site), str(ROOT / "scripts")])
    # What every start looks for: each package, and all of click, without which no command can say what is missing.
    listed = [path for path in (*site.iterdir(), *site.glob("click/*")) if path.name != "__pycache__"]
    LISTED.write_text("".join(f"{path.relative_to(VENV)}\n" for path in listed), encoding="utf-8")
    for part in parts:
        for name in {part, part + COMPILED}:
            (VENV / f"{name}.stamp").write_text(stamp(), encoding="utf-8")


def install(names: set[str]) -> None:
    """Install packages and all that they need, by the user's uv or the lock's, or else by pip."""
    os.environ |= environment_of_uv(PYTHON)
    by_pip = [PYTHON, "-m", "pip", "install", "--no-input", "--disable-pip-version-check", "--progress-bar=off"]
    uv = shutil.which("uv")
    if not uv and add([*by_pip, "--only-binary=:all:"], {name_of(line) for line in requirements("set-up")}):
        uv = str(VENV / "bin" / "uv")
    for command in ([uv, "pip", "install", "--python", PYTHON] if uv else [], by_pip):
        if command:
            say(f"installing packages with {'uv' if command[0] == uv else 'pip'}; logs/setup.log tells how far")
            # The lock's own setuptools builds what has no wheel.
            if add(command, names & {"setuptools"}) and add(command, names):
                return
    said = LOG.read_text(encoding="utf-8", errors="replace")
    reasons = [reason for pattern, reason in REASONS.items() if re.search(pattern, said)]
    errors = [line for line in said.splitlines() if line.startswith("ERROR")]
    sys.exit(f"bgrating: {(reasons or errors or ['pip failed'])[0]} (see logs/setup.log)")


def add(command: list[str], names: set[str]) -> bool:
    """Install packages and all that they need, exactly as the lock pins them; tell whether that went well."""
    listed = VENV / "pins.txt"
    listed.write_text("".join(pins(names).values()), encoding="utf-8")
    return did([*command, "--require-hashes", "--no-deps", "--no-build-isolation", "-r", str(listed)])


def did(command: list[str]) -> bool:
    """Run a program whose output goes to the log; tell whether its status was 0."""
    with LOG.open("ab") as log:
        return not subprocess.call(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)


def environment_of_uv(python: str) -> dict[str, str]:
    """Return an environment in which uv uses the index, proxy and certificates of a Python's pip."""
    listed = subprocess.run([python, "-m", "pip", "config", "list"], capture_output=True, text=True, check=False)
    return told_uv(listed.stdout) | os.environ


def told_uv(listed: str) -> dict[str, str]:
    """Return the variables that tell uv what `pip config list` printed."""
    told = {"UV_INDEX_STRATEGY": "unsafe-best-match"}  # as pip: any index may have what the hashes name
    for key, value in re.findall(r"^[\w:]+\.([\w-]+)=(.*)$", listed, re.MULTILINE):
        if key in UV:
            told.setdefault(UV[key], str(ast.literal_eval(value)))
    if "UV_FIND_LINKS" in told:
        told["UV_FIND_LINKS"] = ",".join(told["UV_FIND_LINKS"].split())
    return told


if __name__ == "__main__":
    os.environ.pop("PYTHONPATH")  # ./run sets it for this process alone
    try:
        main(*sys.argv[1:])
    except KeyboardInterrupt:
        say("stopped; start the same command again to go on")
        sys.exit(130)
