"""./run in a small project of its own: a real virtual environment, made by the real pip from packages made here."""

import base64
import hashlib
import os
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

# All that ./run may rely on; apt-get and sudo are not among them.
TOOLS = ["cat", "cksum", "dirname", "env", "grep", "id", "mkdir", "rm", "sed", "sh", "tail"]
ECHO_ARGUMENTS = """\
import os, sys

def main():
    print(os.getcwd(), os.environ["VIRTUAL_ENV"], *sys.argv[1:], sep="\\n")
"""


def write_wheel(folder: Path, name: str) -> str:
    """Write a package with a command of its name that prints its arguments; return its lines in a lock file."""
    files = {
        f"{name}/__init__.py": ECHO_ARGUMENTS,
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
    """A project folder with ./run, a lock file of three small packages, and a PATH with nothing else on it."""

    def __init__(self, root: Path, project: Path) -> None:
        self.project = root / "project with a space"
        self.bin = root / "bin"
        self.games = root / "games"
        wheels = root / "wheels"
        for folder in (self.project, self.bin, self.games, wheels, root / "home"):
            folder.mkdir()
        text = (project / "run").read_text()
        assert text.count("/usr/games/") == 1, "the tests put a folder of their own in the place of /usr/games"
        (self.project / "run").write_text(text.replace("/usr/games/", f"{self.games}/"))
        (self.project / "run").chmod(0o755)
        self.lock = self.project / "requirements.lock"
        self.lock.write_text("".join(write_wheel(wheels, name) for name in ("pytest", "setuptools", "snakemake")))
        for tool in TOOLS:
            found = shutil.which(tool)
            assert found, tool
            (self.bin / tool).symlink_to(found)
        self.write_python('exec "$python" "$@"')
        write_command(self.games / "gnubg", "exit 1")
        write_command(self.bin / "faketime", "exit 1")
        self.environment = {
            "PATH": str(self.bin),
            "HOME": str(root / "home"),
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(wheels),
            "PIP_CONFIG_FILE": os.devnull,
        }

    def write_python(self, text: str) -> None:
        write_command(self.bin / "python3", f"python='{sys._base_executable}'\n{text}")

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [str(self.project / "run"), *arguments],
            env=self.environment | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str, **environment: str) -> tuple[int, list[str], str]:
        """Return the exit status, the lines of standard output and the text of standard error."""
        process = self.start(*arguments, **environment)
        out, err = process.communicate(timeout=120)
        return process.returncode, out.splitlines(), err


@pytest.fixture
def sandbox(tmp_path: Path, project: Path) -> Sandbox:
    return Sandbox(tmp_path, project)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, project: Path) -> Sandbox:
    """A sandbox that has been set up."""
    sandbox = Sandbox(tmp_path_factory.mktemp("made"), project)
    status, _, err = sandbox.run()
    assert status == 0, err
    assert "making .venv" in err
    return sandbox


def test_everything_is_handed_on_to_snakemake_unchanged(made: Sandbox) -> None:
    status, out, err = made.run("human", "--config", "collection=my matches", "name=*", "")
    assert (status, err) == (0, "")
    root = str(made.project)
    assert out == [root, f"{root}/.venv", "human", "--config", "collection=my matches", "name=*", ""]


def test_test_hands_its_options_on_to_pytest(made: Sandbox) -> None:
    assert made.run("test", "-k", "a or b")[1][2:] == ["-k", "a or b"]


def test_setting_up_twice_costs_under_a_second(made: Sandbox) -> None:
    start = time.perf_counter()
    assert made.run()[0] == 0
    assert time.perf_counter() - start < 1


def test_the_environment_finds_the_package_and_its_plugin(made: Sandbox) -> None:
    code = "import sys; print(*sys.path, sep='\\n')"
    python = made.project / ".venv/bin/python"
    path = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout
    assert str(made.project / "scripts") not in path  # the folder must be there for Python to take it
    (made.project / "scripts").mkdir()
    path = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout
    assert str(made.project / "scripts") in path


def test_help_names_the_targets_and_sets_nothing_up(sandbox: Sandbox) -> None:
    status, out, err = sandbox.run("--help")
    assert (status, err) == (0, "")
    text = "\n".join(out)
    assert all(target in text for target in ("quick", "study", "analysis", "human", "bench", "test"))
    assert not (sandbox.project / ".venv").exists()


@pytest.mark.parametrize(
    ("missing", "debian", "fedora", "macports"),
    [
        ("gnubg", "gnubg", "gnubg", "gnubg"),
        ("faketime", "faketime", "libfaketime", "libfaketime"),
        ("python3", "python3 python3-venv", "python3", "python313"),
    ],
)
def test_what_is_missing_is_named_for_each_system(
    sandbox: Sandbox, missing: str, debian: str, fedora: str, macports: str
) -> None:
    (sandbox.games if missing == "gnubg" else sandbox.bin).joinpath(missing).unlink()
    status, out, err = sandbox.run()
    assert (status, out) == (1, [])
    assert f"apt-get install {debian}\n" in err
    assert f"dnf install {fedora}\n" in err
    assert f"port install {macports} " in err
    assert not (sandbox.project / ".venv").exists()


def test_python_without_ensurepip_wants_debians_venv_package(sandbox: Sandbox) -> None:
    sandbox.write_python('case $2 in *ensurepip*) exit 1 ;; esac\nexec "$python" "$@"')
    status, _, err = sandbox.run()
    assert status == 1
    assert "apt-get install python3-venv\n" in err


def test_an_old_python_is_passed_over(sandbox: Sandbox) -> None:
    (sandbox.bin / "python3").rename(sandbox.bin / "python3.11")
    write_command(sandbox.bin / "python3", "exit 1")
    (sandbox.bin / "faketime").unlink()
    _, _, err = sandbox.run()
    assert "apt-get install faketime\n" in err  # and no Python


def test_an_engine_that_is_named_need_not_be_installed(made: Sandbox) -> None:
    engine = made.games / "gnubg"
    engine.rename(made.games / "elsewhere")
    try:
        assert made.run()[0] == 1
        assert made.run("--config", "engine=games/elsewhere")[0] == 0
    finally:
        (made.games / "elsewhere").rename(engine)


def test_apt_is_used_where_it_may_be_and_told_exactly_what_is_missing(sandbox: Sandbox, tmp_path: Path) -> None:
    (sandbox.games / "gnubg").rename(tmp_path / "gnubg")
    write_command(sandbox.bin / "sudo", '[ "$1" = -n ] || exit 9\nshift\nexec "$@"')
    write_command(sandbox.bin / "id", "echo 1000")
    write_command(sandbox.bin / "true", "exit 0")
    log = tmp_path / "apt.log"
    write_command(
        sandbox.bin / "apt-get",
        f'echo "$DEBIAN_FRONTEND $*" >>"{log}"\n'
        f'case $* in *install*) {shutil.which("mv")} "{tmp_path}/gnubg" "{sandbox.games}/gnubg" ;; esac',
    )
    status, _, err = sandbox.run()
    assert status == 0, err
    update, install = log.read_text().splitlines()
    assert update.startswith("noninteractive ")
    assert update.endswith(" update")
    assert install.endswith(" install -y --no-install-recommends gnubg")


def test_a_wrong_hash_stops_the_setup_and_leaves_nothing_that_counts(sandbox: Sandbox) -> None:
    head, _ = sandbox.lock.read_text().rsplit("sha256:", 1)
    sandbox.lock.write_text(f"{head}sha256:{'0' * 64}\n")
    status, out, err = sandbox.run()
    assert (status, out) == (1, [])
    assert "wrong hash" in err.splitlines()[-1]
    assert not (sandbox.project / ".venv/stamp").exists()


def test_an_index_out_of_reach_is_explained_in_one_line(sandbox: Sandbox) -> None:
    nobody = "http://127.0.0.1:9/simple"
    status, out, err = sandbox.run(PIP_NO_INDEX="0", PIP_FIND_LINKS="", PIP_INDEX_URL=nobody, PIP_RETRIES="1")
    assert (status, out) == (1, [])
    assert [line for line in err.splitlines() if "making .venv" not in line] == [
        "bgrating: the package index cannot be reached: is there a network, does it want a proxy? (see logs/setup.log)"
    ]


def test_an_interrupted_setup_is_done_again(sandbox: Sandbox) -> None:
    sandbox.write_python('"$python" "$@"\nstatus=$?\n[ "$2" != venv ] || kill -9 $PPID\nexit $status')
    assert sandbox.run()[0] == -9
    assert (sandbox.project / ".venv/bin/python").exists()
    sandbox.write_python('exec "$python" "$@"')
    status, out, err = sandbox.run("quick")
    assert (status, out[2:]) == (0, ["quick"])
    assert "making .venv" in err


def test_two_at_once_make_one_environment(sandbox: Sandbox) -> None:
    processes = [sandbox.start("quick"), sandbox.start("quick")]
    results = [process.communicate(timeout=120) for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert sum("making .venv" in err for _, err in results) == 1
    assert sum("waiting for another ./run" in err for _, err in results) == 1


def test_another_place_or_lock_file_makes_a_new_environment(made: Sandbox, sandbox: Sandbox) -> None:
    shutil.rmtree(sandbox.project)
    shutil.copytree(made.project, sandbox.project, symlinks=True)
    for _ in range(2):
        status, out, err = sandbox.run()
        assert (status, out[0]) == (0, str(sandbox.project))
        assert "making .venv" in err
        sandbox.lock.write_text(f"{sandbox.lock.read_text()}# changed\n")
