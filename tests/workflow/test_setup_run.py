"""./run in a small project of its own: what it installs, when it does so again, and what it hands on.

A set-up takes seconds, so `./run test` makes six; the others are nightly.
"""

import shutil
import subprocess
from pathlib import Path

import pytest
from setup_sandbox import LIBRARIES, Sandbox, write_command

COMPILED = "Python compiles each at its first use"


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
    assert out == [root, f"{root}/.venv", "human", "--config", "collection=my matches", "name=*", ""]


def test_what_is_set_up_starts_neither_uv_nor_pip(made: Sandbox) -> None:
    log = made.project / "logs/setup.log"
    log.unlink()
    assert made.run()[::2] == (0, "")
    assert not log.exists()


def test_help_names_the_targets_and_sets_nothing_up(sandbox: Sandbox) -> None:
    status, out, err = sandbox.run("--help")
    assert (status, err) == (0, "")
    text = "\n".join(out)
    assert len(out) <= 40
    assert all(target in text for target in ("rate", "quick", "study", "analysis", "bench", "test"))
    assert not (sandbox.project / ".venv").exists()


def test_a_command_installs_its_part_of_the_lock_and_no_more(sandbox: Sandbox) -> None:
    sandbox.remove("uv")
    sandbox.lose("uv")  # the lock has one for no system
    seen = []
    for words, part in (("calc", 1), ("ratings", 1), ("cache", 0), ("quick", 3), ("rate x", 0), ("test", 0)):
        status, _, err = sandbox.run(*words.split())
        assert status == 0, err
        seen += sandbox.packages() - {*seen}
        said = [line for line in err.splitlines() if "installing" in line]
        assert said == (
            [f"bgrating: installing {part} packages of requirements.lock with pip; {COMPILED}"] if part else []
        )
        assert ("pip finds no uv for this system" in err) == (part > 0)
    assert len(seen) == 5


@pytest.mark.nightly
def test_uv_comes_from_the_lock_where_the_user_has_none(sandbox: Sandbox) -> None:
    sandbox.remove("uv")
    status, _, err = sandbox.run("calc")
    assert (status, err) == (
        0, f"bgrating: making .venv\nbgrating: installing 1 packages of requirements.lock with uv; {COMPILED}\n",
    )  # fmt: skip
    assert sandbox.packages() == {"click", "uv"}


@pytest.mark.nightly
def test_pip_does_what_uv_cannot(sandbox: Sandbox) -> None:
    write_command(sandbox.bin / "uv", '[ "$1" != pip ] || { echo "error: no thanks"; exit 2; }')
    status, _, err = sandbox.run("calc")
    assert status == 0, err
    assert "bgrating: uv failed (error: no thanks; see logs/setup.log), so pip installs the packages\n" in err
    assert sandbox.packages() == {"click"}


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
    assert [line for line in err.splitlines() if "making .venv" not in line and "installing" not in line] == [
        "bgrating: the package index cannot be reached: is there a network, does it want a proxy? (see logs/setup.log)"
    ]


def test_an_interrupted_setup_is_done_again(sandbox: Sandbox) -> None:
    sandbox.write_python('if [ "$2" = venv ]; then kill -INT $PPID; exec sleep 1; fi')
    status, _, err = sandbox.run("calc")
    assert (status, err.splitlines()[-1]) == (130, "bgrating: stopped; start the same command again to go on")
    sandbox.write_python(after_venv="kill -9 $PPID; exit")
    assert sandbox.run("calc")[0] == -9
    assert (sandbox.project / ".venv/bin/python").exists()
    sandbox.write_python()
    status, out, err = sandbox.run("calc")
    assert (status, out[2:]) == (0, ["calc"])
    assert "making .venv" in err


def test_two_at_once_make_one_environment(sandbox: Sandbox) -> None:
    processes = [sandbox.start("calc"), sandbox.start("calc")]
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


@pytest.mark.nightly
@pytest.mark.parametrize("locale", [{"LC_ALL": "C"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}])
def test_a_folder_with_an_umlaut_is_set_up_once(sandbox: Sandbox, locale: dict[str, str]) -> None:
    sandbox.project = sandbox.project.rename(sandbox.project.with_name("prüfung {2026}"))
    status, out, err = sandbox.run("quick", **locale)
    assert (status, out[2:]) == (0, ["quick"]), err
    made = (sandbox.project / ".venv/stamp").stat().st_mtime_ns
    for again in (locale, {}):
        assert sandbox.run("quick", **again)[::2] == (0, "")
    assert (sandbox.project / ".venv/stamp").stat().st_mtime_ns == made


def test_what_is_gone_is_named_and_the_environment_repaired(sandbox: Sandbox) -> None:
    assert sandbox.run("ratings")[0] == 0
    site = next(sandbox.project.glob(".venv/lib/python*/site-packages"))
    sound = {path for path in site.rglob("*") if path.suffix != ".pyc"}
    for damage, named in (
        (lambda: shutil.rmtree(site / "whr"), "whr"),
        (lambda: shutil.rmtree(site / "whr-1.0.dist-info"), "whr"),
        ((site / "click/__init__.py").unlink, "click"),  # before a command could not import it
        # As a command does that could not import a part of another package.
        (lambda: ((site / "whr/__init__.py").unlink(), (sandbox.project / ".venv/checked").unlink()), "whr"),
    ):
        damage()
        status, out, err = sandbox.run("ratings")
        assert (status, out[2:]) == (0, ["ratings"]), err
        assert f"bgrating: damaged in .venv: {named}\n" in err
        assert sound <= {*site.rglob("*")}
        assert sandbox.run("ratings") == (0, out, "")


def test_an_environment_of_the_users_own_is_left_alone(sandbox: Sandbox) -> None:
    own = sandbox.project / ".venv/bin/python"
    own.parent.mkdir(parents=True)
    own.write_text("mine")
    status, _, err = sandbox.run()
    assert (status, err) == (
        1,
        "bgrating: .venv is there, but ./run did not make it: move it away, then start again.\n",
    )
    assert own.read_text() == "mine"


def test_what_needs_no_engine_asks_for_none(sandbox: Sandbox) -> None:
    sandbox.pretend_venv()
    sandbox.remove("gnubg", "faketime", *LIBRARIES)
    for command in ("calc", "open", "ratings", "cache"):
        assert sandbox.run(command, "--help") == (0, [f"{command} --help"], "")


@pytest.mark.parametrize("words", ["rate x", "calc", "open", "ratings x", "verify", "formulas", "quick", "people x"])
def test_no_apt_is_a_word_of_every_command(made: Sandbox, words: str) -> None:
    expected = made.run(*words.split(), "last")
    assert expected[0] == 0
    command, *others = words.split()
    assert made.run(command, "--no-apt", *others, "last") == expected
    assert made.run("--no-apt", *words.split(), "last") == expected


@pytest.mark.parametrize(
    ("closed", "out", "err"), [("<&-", "1", "2"), (">&-", "", "2"), ("2>&-", "1", ""), ("<&- >&- 2>&-", "", "")]
)
def test_a_closed_stream_changes_no_status(made: Sandbox, closed: str, out: str, err: str) -> None:
    code = "import os, sys; [os.fstat(n) for n in range(3)]; print(1); print(2, file=sys.stderr); sys.exit(7)"
    command = made.project / "scripts/study/__main__.py"
    kept = command.read_text()
    command.write_text(code)
    try:
        done = subprocess.run(
            ["/bin/sh", "-c", f'"$0" quick {closed}', str(made.project / "run")],
            env=made.environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
    finally:
        command.write_text(kept)
    assert (done.returncode, done.stdout.strip(), done.stderr.strip()) == (7, out, err)
