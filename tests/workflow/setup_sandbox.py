"""A small project for ./run: the real uv or pip installs packages that are made here."""

import atexit
import base64
import hashlib
import os
import pty
import shutil
import subprocess
import sys
import tempfile
import zipfile
from contextlib import suppress
from functools import cache
from pathlib import Path

from corpus import data_text

# All that ./run may rely on; apt-get and sudo are not among them.
TOOLS = ["cat", "cksum", "dirname", "env", "id", "ls", "mkdir", "readlink", "sh"]
ECHO_ARGUMENTS = """\
import os, sys

def main():
    print(os.getcwd(), os.environ["VIRTUAL_ENV"], *sys.argv[1:], sep="\\n")
"""
PACKAGES = ("uv", "click", "whr", "pytest", "setuptools", "snakemake")
PYPROJECT = data_text("setup/project.toml")
# Goes before machine.py, which then sees the machine of a test.
MACHINE = """\
import ctypes, importlib.util, os, platform, shutil, sys, sysconfig
from pathlib import Path
sys.platform, sys.version_info, platform.machine = {system!r}, {version!r}, lambda: {processor!r}
def load(name):
    if not os.path.exists({libraries!r} + "/" + name):
        raise OSError(name)
    return name
ctypes.CDLL = load
sysconfig.get_path = lambda name: {libraries!r}
"""
START_UV = """\
import os, sys

def main():
    os.execv({uv!r}, [{uv!r}, *sys.argv[1:]])
"""
SEES = """[ "$1" != scripts/study/machine.py ] ||
    exec {python} -c "$(cat {machine} "$1")" "$2" "$3" "$4"
"""
LIBRARIES = ("libglib-2.0.so.0", "libgobject-2.0.so.0")


@cache
def find_uv() -> str:
    found = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
    assert found, "./run installs uv where the user has none"
    code = "import os; print(os.environ['UV'])"  # a command of that name may only start it
    options = ["--quiet", "--no-project", "--offline", "--python", sys.executable]
    command = [found, "run", *options, "python", "-c", code]
    return subprocess.check_output(command, text=True).strip()


@cache
def empty_environment() -> str:
    """Return a virtual environment that sandboxes share by hard links, since pip takes long."""
    folder = tempfile.mkdtemp(prefix="bgrating-venv-")
    atexit.register(shutil.rmtree, folder)
    subprocess.run([sys._base_executable, "-m", "venv", folder], check=True)
    return folder


def write_wheel(folder: Path, name: str) -> str:
    """Write a package with a command of its name; return its lines in a lock file.

    The command prints its arguments; that of uv starts the real one.
    """
    about = f"{name}-1.0.dist-info"
    files = {
        f"{name}/__init__.py": START_UV.format(uv=find_uv()) if name == "uv" else ECHO_ARGUMENTS,
        f"{about}/entry_points.txt": f"[console_scripts]\n{name} = {name}:main\n",
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    rows = [f"{about}/RECORD,,\n"]
    for path, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest())
        rows.append(f"{path},sha256={digest.decode().rstrip('=')},{len(text.encode())}\n")
    files[f"{about}/RECORD"] = "".join(rows)
    wheel = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in files.items():
            # Without a time of day: the same bytes every time.
            archive.writestr(zipfile.ZipInfo(path), text)
    return f"{name}==1.0 \\\n    --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n"


def write_command(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)  # it may be a link to the system's own command
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


class Sandbox:
    """A project folder with ./run, a lock file of small packages, and a PATH with nothing else on
    it.

    The machine has all that either engine needs, and uv.
    """

    def __init__(self, root: Path, project: Path) -> None:
        self.project = root / "project with a space"
        self.bin = root / "bin"
        self.games = root / "games"
        self.libraries = root / "libraries"
        self.machine = root / "machine.py"
        self.wheels = root / "wheels"
        self.study = self.project / "scripts/study"
        own = (self.study, self.bin, self.games, self.libraries, self.wheels, root / "home")
        for folder in own:
            folder.mkdir(parents=True)
        shutil.copy(project / "run", self.project)
        self._copy(project, "machine.py", '"/usr/games"', repr(str(self.games)))
        original, replaced = '[base, "-m", "venv", str(VENV)]', f'["{root}/venv", str(VENV)]'
        self._copy(project, "environment.py", original, replaced)
        for name in ("dependencies.py", "help.txt"):
            shutil.copy(project / "scripts/study" / name, self.study)
        (self.study / "__init__.py").touch()
        (self.study / "__main__.py").write_text(f"{ECHO_ARGUMENTS}\n\nmain()\n")
        self.lock = self.project / "requirements.lock"
        self.lock.write_text("".join(write_wheel(self.wheels, name) for name in PACKAGES))
        (self.project / "pyproject.toml").write_text(PYPROJECT)
        for tool in TOOLS:
            found = shutil.which(tool)
            assert found, tool
            (self.bin / tool).symlink_to(found)
        self.write_python()
        self.write_venv()
        self.write_machine()
        (self.bin / "uv").symlink_to(find_uv())
        for command in (self.games / "gnubg", self.bin / "faketime", self.bin / "gcc"):
            write_command(command, "exit 1")
        for library in (*LIBRARIES, "Python.h"):
            (self.libraries / library).touch()
        self.environment = {
            "PATH": str(self.bin),
            "HOME": str(root / "home"),
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(self.wheels),
            "PIP_CONFIG_FILE": os.devnull,
        }

    def _copy(self, project: Path, name: str, original: str, replaced: str) -> None:
        text = (project / "scripts/study" / name).read_text()
        assert text.count(original) == 1, f"tests replace {original} in {name}"
        (self.study / name).write_text(text.replace(original, replaced))

    def write_python(self, text: str = "") -> None:
        """Write a Python that sees the machine of the test; `text` goes before what it does."""
        sees = SEES.format(python='"$python"', machine=f'"{self.machine}"')
        python = f"python='{sys._base_executable}'\n{text}\n"
        write_command(self.bin / "python3", f'{python}{sees}\nexec "$python" "$@"')

    def write_venv(self, before: str = ":", after: str = ":") -> None:
        """Write what makes a virtual environment: it copies one."""
        cp, empty = shutil.which("cp"), f'{empty_environment()}/. "$1"'
        copy = f"{cp} -al {empty} || {cp} -a {empty} || exit"
        write_command(self.bin.parent / "venv", f"{before}\n{copy}\n{after}")

    def pretend_venv(self) -> None:
        """Make an environment whose Python sees this machine and repeats a command's words."""
        place = self.project / ".venv"
        (place / "bin").mkdir(parents=True)
        machine = place / "machine.py"
        machine.write_text(self.machine.read_text())
        sees = SEES.format(python=f"'{sys._base_executable}'", machine=f"'{machine}'")
        write_command(place / "bin/python", f'{sees}\nshift 2\necho "$*"')
        (place / "listed").write_text("bin/python\n")
        checksum = subprocess.check_output(["cksum"], input=self.lock.read_text(), text=True)
        stamp = f"{self.project} {place / 'bin/python'} {checksum}"
        for part in ("rate", "ratings", "serve", "study"):
            (place / f"{part}.stamp").write_text(stamp)

    def write_machine(
        self, system: str = "linux", processor: str = "x86_64", version: tuple[int, int] = (3, 13)
    ) -> None:
        facts = {"system": system, "processor": processor, "version": version}
        self.machine.write_text(MACHINE.format(**facts, libraries=str(self.libraries)))

    def remove(self, *names: str) -> None:
        for name in names:
            there = [place / name for place in (self.bin, self.games, self.libraries)]
            next(path for path in there if path.exists()).unlink()

    def lose(self, package: str) -> None:
        """Let no system have a package of the lock."""
        next(self.wheels.glob(f"{package}-*")).unlink()

    def packages(self) -> set[str]:
        about = self.project.glob(".venv/lib/python*/site-packages/*-1.0.dist-info")
        return {path.name.partition("-")[0] for path in about}

    def allow_apt(self, installs: dict[str, str]) -> Path:
        """Allow apt-get through sudo, with a command for each package; return its log."""
        write_command(self.bin / "sudo", '[ "$1" = -n ] || exit 9\nshift\nexec "$@"')
        write_command(self.bin / "id", "echo 1000")
        write_command(self.bin / "true", "exit 0")
        log = self.bin.parent / "apt.log"
        lines = [f'echo "$DEBIAN_FRONTEND $*" >>"{log}"']
        for name, command in installs.items():
            lines.append(f'case "$* " in *" {name} "*) {command} ;; esac')
        write_command(self.bin / "apt-get", "\n".join(lines))
        return log

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        both = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        command, given = [self.project / "run", *arguments], self.environment | environment
        return subprocess.Popen(command, env=given, stdin=subprocess.DEVNULL, **both)

    def answer(self, text: str, *arguments: str) -> tuple[int, str]:
        """Run at a terminal where somebody types an answer; return the status and what it shows."""
        keys, terminal = pty.openpty()
        command = [str(self.project / "run"), *arguments]
        streams = dict.fromkeys(("stdin", "stdout", "stderr"), terminal)
        with subprocess.Popen(command, env=self.environment, **streams) as process:
            os.close(terminal)
            shown = b""
            while b"[Y/n] " not in shown:
                shown += os.read(keys, 1024)
            os.write(keys, f"{text}\n".encode())
            with suppress(OSError):  # the terminal has ended with the process
                while more := os.read(keys, 1024):
                    shown += more
        os.close(keys)
        return process.returncode, shown.decode().replace("\r\n", "\n")

    def run(self, *arguments: str, **environment: str) -> tuple[int, list[str], str]:
        process = self.start(*arguments, **environment)
        out, err = process.communicate(timeout=600)
        return process.returncode, out.splitlines(), err
