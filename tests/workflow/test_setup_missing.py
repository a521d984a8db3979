"""./run on systems that lack something: what it asks for, and names if it may not ask."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from setup_sandbox import LIBRARIES, Sandbox

from corpus import cases

CASES = cases("machines.case")


def asked(log: Path | None) -> list[str]:
    """Return the packages of each installation that apt-get was asked for."""
    text = log.read_text() if log and log.exists() else ""
    return re.findall(r"^.* install -y .*recommends (.*)$", text, re.MULTILINE)


@pytest.mark.parametrize("case", CASES, ids=[case["about"] for case in CASES])
def test_a_machine(sandbox: Sandbox, case: dict[str, Any]) -> None:
    if case.get("made"):
        sandbox.pretend_venv()
    machine = case.get("machine", {})
    if "version" in machine:
        machine["version"] = tuple(machine["version"])
    sandbox.write_machine(**machine)
    sandbox.remove(*case["lacks"])
    places = {"touch": shutil.which("touch"), "libraries": sandbox.libraries}
    installs = {name: command.format(**places) for name, command in case.get("apt", {}).items()}
    log = sandbox.allow_apt(installs) if "apt" in case else None
    status, out, err = sandbox.run(*case.get("words", "").split())
    assert (status, out) == ((0, case["prints"]) if "prints" in case else (1, []))
    assert case.get("told", "") in err
    if "debian" in case:
        assert err.startswith("bgrating: not everything needed is installed.\nInstall what is")
        assert f"apt-get install {case['debian']}\n" in err
        assert f"dnf install {case['fedora']}\n" in err
        macports = case.get("macports")
        assert (f"port install {macports} " in err) == ("port install" in err) == bool(macports)
        assert not (sandbox.project / ".venv").exists()
    assert asked(log) == case.get("asks", [])
    lines = log.read_text().splitlines() if log and log.exists() else []
    assert all(line.startswith("noninteractive ") for line in lines)


def test_the_python_of_the_environment_says_which_engine_is_missing(sandbox: Sandbox) -> None:
    sandbox.pretend_venv()
    sandbox.write_machine(version=(3, 14))  # of python3, which came later
    sandbox.remove("gnubg", LIBRARIES[0])
    status, _, err = sandbox.run()
    assert status == 1
    assert "apt-get install libglib2.0-0\n" in err
    sandbox.remove("python3")
    assert sandbox.run() == (status, [], err)


def test_python_without_ensurepip_wants_debians_venv_package(sandbox: Sandbox) -> None:
    sandbox.machine.write_text(f"{sandbox.machine.read_text()}sys.modules['ensurepip'] = None\n")
    status, _, err = sandbox.run()
    assert status == 1
    assert "apt-get install python3.13-venv\n" in err


def test_an_old_python_is_passed_over(sandbox: Sandbox) -> None:
    (sandbox.bin / "python3").rename(sandbox.bin / "python3.11")
    sandbox.write_machine(version=(3, 10))
    sandbox.write_python()
    status, _, err = sandbox.run()
    assert status == 1
    assert "apt-get install python3 python3-venv libglib2.0-0\n" in err
    sandbox.write_python("exit 3")  # as machine.py ends
    sandbox.write_machine()
    sandbox.remove("faketime", LIBRARIES[0])
    _, _, err = sandbox.run()
    assert "apt-get install libglib2.0-0\n" in err  # and no Python


def test_apt_is_asked_again_where_the_python_it_installed_has_no_package(sandbox: Sandbox) -> None:
    sandbox.write_machine(version=(3, 14))  # of the Python to come
    packages = {"python3": "python3-venv", "gnubg": "gnubg", "faketime": "faketime"}
    moves = {}
    for name, package in packages.items():
        folder = sandbox.games if name == "gnubg" else sandbox.bin
        (folder / name).rename(sandbox.libraries / name)
        moves[package] = f"{shutil.which('mv')} {sandbox.libraries / name} {folder / name}"
    log = sandbox.allow_apt(moves)
    status, _, err = sandbox.run()
    assert status == 0, err
    assert asked(log) == ["python3 python3-venv libglib2.0-0", "gnubg faketime"]


@pytest.mark.parametrize(("answer", "is_started"), [("", True), ("y", True), ("n", False)])
def test_apt_is_started_at_a_terminal_after_a_yes(
    sandbox: Sandbox, answer: str, is_started: bool
) -> None:
    sandbox.remove("gnubg", LIBRARIES[0])
    touch = f"{shutil.which('touch')} {sandbox.libraries / LIBRARIES[0]}"
    log = sandbox.allow_apt({"libglib2.0-0": touch})
    status, shown = sandbox.answer(answer, "rate")
    assert "these packages of the system are missing: libglib2.0-0\n" in shown
    assert (status == 0, log.exists()) == (is_started, is_started)
    assert ("apt was not started.\nInstall what is missing" in shown) == (not is_started)


def test_a_python_that_cannot_start_is_named_and_apt_left_alone(sandbox: Sandbox) -> None:
    log = sandbox.allow_apt({})
    sandbox.write_python("echo 'Fatal Python error: no memory' >&2; kill -SEGV $$")
    status, out, err = sandbox.run("quick")
    assert (status, out) == (1, [])
    assert err.splitlines()[-1] == f"bgrating: {sandbox.bin}/python3 cannot start (exit status 139)"
    assert not log.exists()
