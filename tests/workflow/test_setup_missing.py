"""./run on systems that lack something: whom it asks for what, and what it names where it may not ask."""

import shutil

import pytest
from setup_sandbox import LIBRARIES, Sandbox


@pytest.mark.parametrize("missing", [("gnubg", "faketime"), LIBRARIES])
def test_either_engine_is_enough_and_nobody_is_asked(sandbox: Sandbox, missing: tuple[str, ...]) -> None:
    sandbox.pretend_venv()
    sandbox.remove(*missing)
    log = sandbox.allow_apt({})
    assert sandbox.run("quick") == (0, ["quick"], "")
    assert not log.exists()


MACPORTS = "gnubg libfaketime"
# Machines for which the package of the embedded engine does not exist.
OTHERS = {
    "Python 3.14": {"version": (3, 14)},
    "another processor": {"processor": "aarch64"},
    "macOS": {"system": "darwin"},
}


@pytest.mark.parametrize(
    ("machine", "missing", "engine", "debian", "fedora", "macports"),
    [
        ("", ["python3"], "", "python3 python3-venv", "python3", "python313"),
        ("", ["python3", "gnubg"], "", "python3 python3-venv libglib2.0-0", "python3 glib2", f"python313 {MACPORTS}"),
        ("", [LIBRARIES[0], "gnubg"], "", "libglib2.0-0", "glib2", ""),
        ("", [LIBRARIES[1], "faketime"], "", "libglib2.0-0", "glib2", ""),
        ("", [LIBRARIES[0]], "embedded-1.08", "libglib2.0-0", "glib2", ""),
        ("", ["gnubg"], "system-1.07.001", "gnubg", "gnubg", "gnubg"),
        ("", ["faketime"], "system-1.07.001", "faketime", "libfaketime", "libfaketime"),
        ("", ["gnubg", "faketime"], "games/other", "faketime", "libfaketime", "libfaketime"),
        ("", ["gcc", "Python.h", "gnubg"], "system-1.07.001", "gnubg", "gnubg", "gnubg"),
        ("Python 3.14", ["gcc"], "", "gcc python3-dev", "gcc python3-devel", ""),
        ("Python 3.14", ["Python.h"], "games/other", "gcc python3-dev", "gcc python3-devel", ""),
        *((other, ["gnubg", "faketime"], "", "gnubg faketime", "gnubg libfaketime", MACPORTS) for other in OTHERS),
    ],
)  # fmt: skip
def test_what_is_missing_is_named_for_each_system(
    sandbox: Sandbox, machine: str, missing: list[str], engine: str, debian: str, fedora: str, macports: str
) -> None:
    sandbox.write_machine(**OTHERS.get(machine, {}))
    sandbox.remove(*missing)
    status, out, err = sandbox.run("--config", f"engine={engine}")
    assert (status, out) == (1, [])
    assert err.startswith("bgrating: not everything needed is installed.\nInstall what is missing")
    assert f"apt-get install {debian}\n" in err
    assert f"dnf install {fedora}\n" in err
    assert f"port install {macports} " in err if macports else "port install" not in err
    assert ("--engine PATH" in err) == ("gnubg" in debian)
    assert not (sandbox.project / ".venv").exists()


def test_the_python_of_the_environment_says_which_engine_is_missing(sandbox: Sandbox) -> None:
    sandbox.pretend_venv()
    sandbox.write_machine(version=(3, 14))  # of python3, which came later
    sandbox.remove("gnubg", LIBRARIES[0])
    status, _, err = sandbox.run()
    assert status == 1
    assert "apt-get install libglib2.0-0\n" in err
    sandbox.remove("python3")
    assert sandbox.run() == (status, [], err)


def test_an_engine_that_no_setup_can_give_is_left_to_snakemake(sandbox: Sandbox) -> None:
    sandbox.write_machine(version=(3, 14))
    sandbox.pretend_venv()
    sandbox.remove("gnubg", "faketime", *LIBRARIES)
    assert sandbox.run("--config", "engine=embedded-1.08")[0] == 0


def test_python_without_ensurepip_wants_debians_venv_package(sandbox: Sandbox) -> None:
    sandbox.machine.write_text(f"{sandbox.machine.read_text()}sys.modules['ensurepip'] = None\n")
    status, _, err = sandbox.run()
    assert status == 1
    assert "apt-get install python3-venv\n" in err


def test_an_old_python_is_passed_over(sandbox: Sandbox) -> None:
    (sandbox.bin / "python3").rename(sandbox.bin / "python3.11")
    sandbox.write_python("exit 3")  # as PROBE of ./run ends
    sandbox.remove("faketime", LIBRARIES[0])
    _, _, err = sandbox.run()
    assert "apt-get install libglib2.0-0\n" in err  # and no Python


def test_apt_is_used_where_it_may_be_and_told_exactly_what_is_missing(sandbox: Sandbox) -> None:
    sandbox.pretend_venv()
    sandbox.remove("faketime", *LIBRARIES)
    touch = f"{shutil.which('touch')} {' '.join(str(sandbox.libraries / library) for library in LIBRARIES)}"
    log = sandbox.allow_apt({"libglib2.0-0": touch})
    status, _, err = sandbox.run()
    assert status == 0, err
    update, install = log.read_text().splitlines()
    assert update.startswith("noninteractive ")
    assert update.endswith(" update")
    assert install.endswith(" install -y --no-install-recommends libglib2.0-0")


def test_apt_is_asked_again_where_the_python_it_installed_has_no_package(sandbox: Sandbox) -> None:
    sandbox.write_machine(version=(3, 14))  # of the Python to come
    moves = {}
    for name, package in (("python3", "python3-venv"), ("gnubg", "gnubg"), ("faketime", "faketime")):
        folder = sandbox.games if name == "gnubg" else sandbox.bin
        (folder / name).rename(sandbox.libraries / name)
        moves[package] = f"{shutil.which('mv')} {sandbox.libraries / name} {folder / name}"
    log = sandbox.allow_apt(moves)
    status, _, err = sandbox.run()
    assert status == 0, err
    installs = [line.partition("recommends ")[2] for line in log.read_text().splitlines() if " install " in line]
    assert installs == ["python3 python3-venv libglib2.0-0", "gnubg faketime"]


def test_no_apt_forbids_apt(sandbox: Sandbox) -> None:
    sandbox.pretend_venv()
    sandbox.remove("faketime", *LIBRARIES)
    log = sandbox.allow_apt({})
    status, _, err = sandbox.run("smoke", "--no-apt")
    assert status == 1
    assert "apt-get install libglib2.0-0\n" in err
    assert not log.exists()


@pytest.mark.parametrize("is_set_up", [False, True])
def test_a_python_that_cannot_start_is_named_and_apt_left_alone(sandbox: Sandbox, is_set_up: bool) -> None:
    if is_set_up:  # its Python is the same
        sandbox.pretend_venv()
        (sandbox.project / ".venv/machine.py").write_text("import os; os.abort()\n")
    log = sandbox.allow_apt({})
    sandbox.write_python("echo 'Fatal Python error: no memory' >&2; kill -SEGV $$")
    status, out, err = sandbox.run("quick")
    assert (status, out) == (1, [])
    said = "cannot start (exit status 139, Fatal Python error: no memory)"
    assert err.splitlines()[-1] == f"bgrating: {sandbox.bin}/python3 {said}"
    assert not log.exists()
