"""./run in a small project: what it installs, when it does so again, and what it hands on.

A set-up takes seconds, so `./run test` makes six; the others are nightly.
"""

import os
import shutil
from pathlib import Path

import pytest
from planned import rule_names
from setup_sandbox import Sandbox, write_command

from bgrating.command import COMMANDS
from commands import run
from study.__main__ import OWN

WITH_UV = "bgrating: installing packages with uv; logs/setup.log tells how far\n"
SAYS_AND_FAILS = """
import os, sys
for number in range(3):
    os.fstat(number)
print(1)
print(2, file=sys.stderr)
sys.exit(7)
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, project: Path) -> Sandbox:
    sandbox = Sandbox(tmp_path_factory.mktemp("made"), project)
    status, _, err = sandbox.run()
    assert status == 0, err
    assert "making .venv" in err
    return sandbox


def test_everything_is_handed_on_to_the_command_unchanged(made: Sandbox) -> None:
    status, out, err = made.run("human", "--config", "collection=my matches", "name=*", "")
    assert (status, err) == (0, "")
    root = str(made.project)
    words = ["human", "--config", "collection=my matches", "name=*", ""]
    assert out == [root, f"{root}/.venv", *words]


def test_what_is_set_up_starts_neither_uv_nor_pip(made: Sandbox) -> None:
    log = made.project / "logs/setup.log"
    log.unlink()
    assert made.run()[::2] == (0, "")
    assert not log.exists()


def test_help_names_what_there_is_and_sets_nothing_up(sandbox: Sandbox, project: Path) -> None:
    status, out, err = sandbox.run("--help")
    assert (status, err) == (0, "")
    assert len(out) <= 40
    assert not (sandbox.project / ".venv").exists()
    named = {line[2:].split()[0] for line in out if line.startswith("  ") and line[2] != " "}
    own = {"bench", "fuzz", "release", "set-up", "test"}  # of ./run itself
    assert {*COMMANDS} <= named
    assert named <= {*COMMANDS, *OWN, *rule_names(project), *own}


@pytest.mark.slow
def test_a_command_installs_its_part_of_the_lock_and_no_more(sandbox: Sandbox) -> None:
    sandbox.remove("uv")
    seen = []
    new = {"calc": 2, "ratings": 1, "cache": 0, "serve": 0, "quick": 3, "rate x": 0, "test": 0}
    for words, packages in new.items():
        status, _, err = sandbox.run(*words.split())
        assert status == 0, err
        came = sandbox.packages() - {*seen}
        seen += came
        assert len(came) == packages
        assert (WITH_UV in err) == (packages > 0 or words == "serve")
    assert len(seen) == 6


@pytest.mark.nightly
def test_uv_comes_from_the_lock_where_the_user_has_none(sandbox: Sandbox) -> None:
    sandbox.remove("uv")
    status, _, err = sandbox.run("calc")
    assert (status, err) == (0, f"bgrating: making .venv\n{WITH_UV}")
    assert sandbox.packages() == {"click", "uv"}


def test_what_uv_cannot_do_is_told_in_one_line(sandbox: Sandbox) -> None:
    write_command(sandbox.bin / "uv", "echo 'error: no thanks'; exit 2")
    status, out, err = sandbox.run("calc")
    assert (status, out) == (1, [])
    assert err.endswith(f"{WITH_UV}bgrating: error: no thanks (see logs/setup.log)\n")


def test_a_wrong_hash_stops_the_setup_and_leaves_nothing_that_counts(sandbox: Sandbox) -> None:
    head, _ = sandbox.lock.read_text().rsplit("sha256:", 1)
    sandbox.lock.write_text(f"{head}sha256:{'0' * 64}\n")
    status, out, err = sandbox.run()
    assert (status, out) == (1, [])
    assert "wrong hash" in err.splitlines()[-1]
    assert not (sandbox.project / ".venv/study.stamp").exists()


@pytest.mark.slow
@pytest.mark.parametrize("uv", ["of the user", "of the lock"])
def test_an_index_out_of_reach_is_explained_in_one_line(sandbox: Sandbox, uv: str) -> None:
    """And neither pip nor uv tries again for minutes."""
    if uv == "of the lock":
        sandbox.remove("uv")
    nobody = "http://127.0.0.1:9/simple"
    status, out, err = sandbox.run(PIP_NO_INDEX="0", PIP_FIND_LINKS="", PIP_INDEX_URL=nobody)
    assert (status, out) == (1, [])
    assert (sandbox.project / "logs/setup.log").read_text().count("Retrying") <= 1
    sentence = "the package index cannot be reached: is there a network, does it want a proxy?"
    assert err.splitlines()[-1] == f"bgrating: {sentence} (see logs/setup.log)"


def test_an_interrupted_setup_is_done_again(sandbox: Sandbox) -> None:
    sandbox.write_venv("kill -INT $PPID; exec sleep 1")
    status, _, err = sandbox.run("calc")
    assert status == 130
    assert err.splitlines()[-1] == "bgrating: stopped; start the same command again to go on"
    sandbox.write_venv(after="kill -9 $PPID")
    assert sandbox.run("calc")[0] == 128 + 9
    assert (sandbox.project / ".venv/bin/python").exists()
    sandbox.write_venv()
    status, out, err = sandbox.run("calc")
    assert (status, out[2:]) == (0, ["calc"])
    assert "making .venv" in err


def test_two_at_once_make_one_environment(sandbox: Sandbox) -> None:
    processes = [sandbox.start("calc"), sandbox.start("calc")]
    results = [process.communicate(timeout=600) for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert sum("making .venv" in err for _, err in results) == 1
    assert sum("waiting for another ./run" in err for _, err in results) == 1


def test_another_place_or_lock_file_makes_a_new_environment(
    made: Sandbox, sandbox: Sandbox
) -> None:
    shutil.rmtree(sandbox.project)
    shutil.copytree(made.project, sandbox.project, symlinks=True)
    for _ in range(2):
        status, out, err = sandbox.run()
        assert (status, out[0]) == (0, str(sandbox.project))
        assert "making .venv" in err
        sandbox.lock.write_text(f"{sandbox.lock.read_text()}# changed\n")


@pytest.mark.nightly
@pytest.mark.parametrize(
    "locale", [{"LC_ALL": "C"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}]
)
def test_a_folder_with_an_umlaut_is_set_up_once(sandbox: Sandbox, locale: dict[str, str]) -> None:
    sandbox.project = sandbox.project.rename(sandbox.project.with_name("prüfung {2026}"))
    status, out, err = sandbox.run("quick", **locale)
    assert (status, out[2:]) == (0, ["quick"]), err
    made = (sandbox.project / ".venv/study.stamp").stat().st_mtime_ns
    for again in (locale, {}):
        assert sandbox.run("quick", **again)[::2] == (0, "")
    assert (sandbox.project / ".venv/study.stamp").stat().st_mtime_ns == made


@pytest.mark.slow
def test_an_environment_that_lacks_something_is_made_again(sandbox: Sandbox) -> None:
    assert sandbox.run("ratings")[0] == 0
    site = next(sandbox.project.glob(".venv/lib/python*/site-packages"))
    sound = {path for path in site.rglob("*") if path.suffix != ".pyc"}
    for damage in (
        lambda: shutil.rmtree(site / "whr"),
        lambda: shutil.rmtree(site / "whr-1.0.dist-info"),
        (site / "click/__init__.py").unlink,  # before a command could not import it
        (sandbox.project / ".venv/bin/python").unlink,
        (sandbox.project / ".venv/listed").unlink,
    ):
        damage()
        status, out, err = sandbox.run("ratings")
        assert (status, out[2:]) == (0, ["ratings"]), err
        assert "bgrating: making .venv\n" in err
        assert sound <= {*site.rglob("*")}
        assert sandbox.run("ratings") == (0, out, "")


def test_what_python_may_not_compile_later_is_compiled_in_set_up(sandbox: Sandbox) -> None:
    assert sandbox.run("calc", PYTHONDONTWRITEBYTECODE="1")[0] == 0
    site = next(sandbox.project.glob(".venv/lib/python*/site-packages"))
    assert [*site.glob("click/__pycache__/*.pyc")] != []


@pytest.mark.parametrize("variable", ["PYTHONPATH", "PYTHONHOME"])
def test_another_pythons_variables_change_nothing(
    made: Sandbox, tmp_path: Path, variable: str
) -> None:
    (tmp_path / "os.py").write_text("raise SystemExit('an os of somebody else')")
    assert made.run("calc", **{variable: str(tmp_path)}) == made.run("calc")


def test_run_may_be_started_through_a_link(made: Sandbox, tmp_path: Path) -> None:
    link, second = tmp_path / "bgr", tmp_path / "other" / "bgr"
    second.parent.mkdir()
    link.symlink_to(made.project / "run")
    second.symlink_to("../bgr")
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs/setup.log").write_text("mine")
    before = {path: path.is_file() and path.read_bytes() for path in tmp_path.rglob("*")}
    for start in (link, second):
        done = run([start, "calc"], env=made.environment)
        assert (done.returncode, done.stdout.splitlines()[2:], done.stderr) == (0, ["calc"], "")
    assert {path: path.is_file() and path.read_bytes() for path in tmp_path.rglob("*")} == before


def test_a_copy_of_run_writes_nothing_elsewhere(made: Sandbox, tmp_path: Path) -> None:
    copied = shutil.copy(made.project / "run", tmp_path)
    done = run([copied, "calc"], env=made.environment)
    assert (done.returncode, done.stdout) == (1, "")
    remedy = "start the run that is, or link to it"
    assert done.stderr == f"bgrating: {tmp_path}/run is not in bgrating's folder: {remedy}\n"
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_an_environment_of_the_users_own_is_left_alone(sandbox: Sandbox) -> None:
    own = sandbox.project / ".venv/bin/python"
    own.parent.mkdir(parents=True)
    own.write_text("mine")
    status, _, err = sandbox.run()
    assert status == 1
    remedy = "move it away, then start again."
    assert err == f"bgrating: .venv is there, but ./run did not make it: {remedy}\n"
    assert own.read_text() == "mine"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to give the environment to another user")
def test_the_environment_of_another_user_is_left_alone(made: Sandbox) -> None:
    place = made.project / ".venv"
    stamp, before = place / "study.stamp", sorted(place.rglob("*"))
    text = stamp.read_text()
    os.chown(place, 4321, -1, follow_symlinks=False)
    try:
        assert made.run("calc")[::2] == (0, "")
        stamp.write_text("of another lock")
        sentence = f"{place} is of another user, who may set it up: make a clone of your own"
        assert made.run() == (1, [], f"bgrating: {sentence}\n")
    finally:
        stamp.write_text(text)
        os.chown(place, 0, -1, follow_symlinks=False)
    assert sorted(place.rglob("*")) == before


@pytest.mark.parametrize(
    "words", ["rate x", "calc", "open", "ratings x", "verify", "formulas", "quick", "people x"]
)
def test_no_apt_is_a_word_of_every_command(made: Sandbox, words: str) -> None:
    expected = made.run(*words.split(), "last")
    assert expected[0] == 0
    command, *others = words.split()
    assert made.run(command, "--no-apt", *others, "last") == expected
    assert made.run("--no-apt", *words.split(), "last") == expected


@pytest.mark.parametrize(
    ("closed", "out", "err"),
    [("<&-", "1", "2"), (">&-", "", "2"), ("2>&-", "1", ""), ("<&- >&- 2>&-", "", "")],
)
def test_a_closed_stream_changes_no_status(made: Sandbox, closed: str, out: str, err: str) -> None:
    command = made.project / "scripts/study/__main__.py"
    kept = command.read_text()
    command.write_text(SAYS_AND_FAILS)
    shell = ["/bin/sh", "-c", f'"$0" quick {closed}', made.project / "run"]
    try:
        done = run(shell, env=made.environment)
    finally:
        command.write_text(kept)
    assert (done.returncode, done.stdout.strip(), done.stderr.strip()) == (7, out, err)
