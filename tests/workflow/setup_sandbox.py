"""A small project of its own for ./run: the real uv or pip installs packages made here into its virtual environment."""

import base64
import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

# All that ./run may rely on; apt-get and sudo are not among them.
TOOLS = ["cat", "cksum", "dirname", "env", "grep", "id", "ls", "mkdir", "rm", "sh", "tail"]
ECHO_ARGUMENTS = """\
import os, sys

def main():
    print(os.getcwd(), os.environ["VIRTUAL_ENV"], *sys.argv[1:], sep="\\n")
"""
LOCK = {"set-up": ("uv",), "rate": ("click",), "ratings": ("whr",), "study": ("pytest", "setuptools", "snakemake")}
"""The parts of the lock file and their packages."""
# Goes before the code that ./run gives to `python -c`: that code then sees the machine of a test.
MACHINE = """\
import ctypes, importlib.util, os, platform, sys, sysconfig
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
LIBRARIES = ("libglib-2.0.so.0", "libgobject-2.0.so.0")


@cache
def find_uv() -> str:
    found = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
    assert found, "./run installs uv where the user has none"
    tell = [found, "run", "--quiet", "--no-project", "--offline", "--python", sys.executable, "python", "-c"]
    code = "import os; print(os.environ['UV'])"  # a command of that name may only start it
    return subprocess.check_output([*tell, code], text=True).strip()


@cache
def empty_environment() -> TemporaryDirectory[str]:
    """Return a folder with a virtual environment that sandboxes share by hard links: pip takes seconds to unpack."""
    folder = TemporaryDirectory(prefix="bgrating-venv-")
    subprocess.run([sys._base_executable, "-m", "venv", folder.name], check=True)
    return folder


def write_wheel(folder: Path, name: str) -> str:
    """Write a package with a command of its name; return its lines in a lock file.

    The command prints its arguments; that of uv starts the real one.
    """
    files = {
        f"{name}/__init__.py": START_UV.format(uv=find_uv()) if name == "uv" else ECHO_ARGUMENTS,
        f"{name}-1.0.dist-info/entry_points.txt": f"[console_scripts]\n{name} = {name}:main\n",
        f"{name}-1.0.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        f"{name}-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = f"{name}-1.0.dist-info/RECORD"
    rows = [
        f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip('=')},"
        f"{len(text.encode())}"
        for path, text in files.items()
    ]
    files[record] = "\n".join([*rows, f"{record},,"]) + "\n"
    wheel = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in files.items():
            archive.writestr(zipfile.ZipInfo(path), text)  # no time of day: the same bytes every time
    return f"{name}==1.0 \\\n    --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n"


def write_command(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)  # it may be a link to the system's own command
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


class Sandbox:
    """A project folder with ./run, a lock file of small packages, and a PATH with nothing else on it.

    The machine has all that either engine needs, and uv.
    """

    def __init__(self, root: Path, project: Path) -> None:
        self.project = root / "project with a space"
        self.bin = root / "bin"
        self.games = root / "games"
        self.libraries = root / "libraries"
        self.machine = root / "machine.py"
        self.wheels = root / "wheels"
        for folder in (self.project, self.bin, self.games, self.libraries, self.wheels, root / "home"):
            folder.mkdir()
        text = (project / "run").read_text()
        assert text.count("/usr/games/") == 1, "the tests put a folder of their own in the place of /usr/games"
        (self.project / "run").write_text(text.replace("/usr/games/", f"{self.games}/"))
        (self.project / "run").chmod(0o755)
        command = self.project / "scripts/study/__main__.py"
        command.parent.mkdir(parents=True)
        command.write_text(f"{ECHO_ARGUMENTS}\n\nmain()\n")
        shutil.copy(project / "scripts/study/environment.py", command.parent)
        self.lock = self.project / "requirements.lock"
        self.lock.write_text(
            "".join(
                f"## {part}: words\n" + "".join(write_wheel(self.wheels, name) for name in names)
                for part, names in LOCK.items()
            )
        )
        for tool in TOOLS:
            found = shutil.which(tool)
            assert found, tool
            (self.bin / tool).symlink_to(found)
        self.write_python()
        self.write_machine()
        (self.bin / "uv").symlink_to(find_uv())
        write_command(self.games / "gnubg", "exit 1")
        write_command(self.bin / "faketime", "exit 1")
        write_command(self.bin / "gcc", "exit 1")
        for library in (*LIBRARIES, "Python.h"):
            (self.libraries / library).touch()
        self.environment = {
            "PATH": str(self.bin),
            "HOME": str(root / "home"),
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(self.wheels),
            "PIP_CONFIG_FILE": os.devnull,
        }

    def write_python(self, text: str = "", after_venv: str = "exit") -> None:
        """Write a Python that sees the machine and copies a virtual environment; `text` goes before what it does."""
        cp, empty = shutil.which("cp"), f'{empty_environment().name}/. "$3"'
        copies = f"{{ {cp} -al {empty} || {cp} -a {empty}; {after_venv}; }}"
        does = f'[ "$1" != -c ] || exec "$python" -c "$(cat "{self.machine}"; echo "$2")"\nexec "$python" "$@"'
        write_command(
            self.bin / "python3", f"python='{sys._base_executable}'\n{text}\n[ \"$2\" != venv ] || {copies}\n{does}"
        )

    def pretend_venv(self) -> None:
        """Let there be an environment whose Python sees the machine as it is now and repeats a command's words."""
        place = self.project / ".venv"
        (place / "bin").mkdir(parents=True)
        machine = place / "machine.py"
        machine.write_text(self.machine.read_text())
        repeats = '[ "$1" = -c ] || { shift 2; echo "$*"; exit; }'
        write_command(
            place / "bin/python", f"{repeats}\nexec '{sys._base_executable}' -c \"$(cat '{machine}'; echo \"$2\")\""
        )
        stamp = subprocess.run(
            ["cksum"], input=self.lock.read_text(), capture_output=True, text=True, check=True
        ).stdout
        (place / "stamp").write_text(f"{self.project}\n{stamp}study\n")
        listed = ["ls", "-lL", ".venv/bin/python"]
        environment = {"LC_ALL": "C", "TZ": "UTC", "PATH": os.environ["PATH"]}
        (place / "checked").write_bytes(subprocess.check_output(listed, cwd=self.project, env=environment))

    def write_machine(
        self, system: str = "linux", processor: str = "x86_64", version: tuple[int, int] = (3, 13)
    ) -> None:
        facts = {"system": system, "processor": processor, "version": version, "libraries": str(self.libraries)}
        self.machine.write_text(MACHINE.format(**facts))

    def remove(self, *names: str) -> None:
        for name in names:
            next(place / name for place in (self.bin, self.games, self.libraries) if (place / name).exists()).unlink()

    def lose(self, package: str) -> None:
        """Let no system have a package of the lock."""
        next(self.wheels.glob(f"{package}-*")).unlink()

    def packages(self) -> set[str]:
        about = self.project.glob(".venv/lib/python*/site-packages/*-1.0.dist-info")
        return {path.name.partition("-")[0] for path in about}

    def allow_apt(self, installs: dict[str, str]) -> Path:
        """Let apt-get be used through sudo, a package of `installs` by its command; return what it writes down."""
        write_command(self.bin / "sudo", '[ "$1" = -n ] || exit 9\nshift\nexec "$@"')
        write_command(self.bin / "id", "echo 1000")
        write_command(self.bin / "true", "exit 0")
        log = self.bin.parent / "apt.log"
        cases = "\n".join(f'case "$* " in *" {name} "*) {command} ;; esac' for name, command in installs.items())
        write_command(self.bin / "apt-get", f'echo "$DEBIAN_FRONTEND $*" >>"{log}"\n{cases}')
        return log

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        command = [str(self.project / "run"), *arguments]
        return subprocess.Popen(command, env=self.environment | environment, text=True, **streams)

    def run(self, *arguments: str, **environment: str) -> tuple[int, list[str], str]:
        process = self.start(*arguments, **environment)
        out, err = process.communicate(timeout=120)
        return process.returncode, out.splitlines(), err
