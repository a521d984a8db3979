"""./run in a small project of its own: what it makes, when it makes it again, and what it hands on."""

import shutil
import subprocess
import time
from pathlib import Path

import pytest
from setup_sandbox import Sandbox


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, project: Path) -> Sandbox:
    """A sandbox that has been set up."""
    sandbox = Sandbox(tmp_path_factory.mktemp("made"), project)
    status, _, err = sandbox.run()
    assert status == 0, err
    assert "making .venv" in err
    return sandbox


def test_everything_is_handed_on_to_the_command_unchanged(made: Sandbox) -> None:
    status, out, err = made.run("human", "--config", "collection=my matches", "name=*", "")
    assert (status, err) == (0, "")
    root = str(made.project)
    assert out == [root, f"{root}/.venv", "human", "--config", "collection=my matches", "name=*", ""]


def test_test_hands_its_options_on_to_pytest(made: Sandbox) -> None:
    assert made.run("test", "-k", "a or b")[1][2:] == ["-n", "auto", "--dist", "loadfile", "-k", "a or b"]


def test_setting_up_twice_costs_under_a_second(made: Sandbox) -> None:
    start = time.perf_counter()
    assert made.run()[0] == 0
    assert time.perf_counter() - start < 1


def test_the_environment_finds_the_package_and_its_plugin(made: Sandbox) -> None:
    code = "import sys; print(*sys.path, sep='\\n')"
    python = made.project / ".venv/bin/python"
    path = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout
    assert str(made.project / "scripts") in path


def test_help_names_the_targets_and_sets_nothing_up(sandbox: Sandbox) -> None:
    status, out, err = sandbox.run("--help")
    assert (status, err) == (0, "")
    text = "\n".join(out)
    assert all(target in text for target in ("rate", "quick", "study", "analysis", "bench", "test"))
    assert not (sandbox.project / ".venv").exists()


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
    sandbox.write_python('if [ "$2" = venv ]; then "$python" "$@"; kill -9 $PPID; fi')
    assert sandbox.run()[0] == -9
    assert (sandbox.project / ".venv/bin/python").exists()
    sandbox.write_python()
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
