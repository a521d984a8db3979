"""Which engine is found: by name, by path, by nets, or the first that is here; the message where there is none."""

import os
import stat
from pathlib import Path

import pytest

from bgrating.engine import locate
from bgrating.engine.errors import ClockNotFoundError, EngineNotFoundError, EngineVersionError
from bgrating.engine.locate import Engine, find_engine
from bgrating.engine.nets import known_engines

LEAVES = """\
#!/bin/sh
printf 00000000 > /dev/shm/faketime_shm_$$
printf 00000000 > /dev/shm/sem.faketime_sem_$$
exec /bin/sh "$@"
"""
"""A shell whose own number has what a killed process with libfaketime leaves in shared memory."""


def program(place: Path, version: str) -> Path:
    path = place / "gnubg"
    path.write_text(f"#!/bin/sh\necho '{version}'\n")
    path.chmod(stat.S_IRWXU)
    return path


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(locate, "GAMES", str(tmp_path))
    monkeypatch.setattr(locate.importlib.util, "find_spec", lambda name: None)
    return tmp_path


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locate, "find_clock", lambda: (("LD_PRELOAD", "libfaketime.so.1"),))


def test_the_embedded_engine_comes_first_and_then_the_newest_nets() -> None:
    assert [engine.name for engine in known_engines()] == ["embedded-1.08", "system-1.08.003", "system-1.07.001"]


def test_the_embedded_engine_is_the_one_of_this_environment(engine: Engine) -> None:
    assert engine.known.name == "embedded-1.08"
    assert engine.package() == engine.known.package == "gnubg 1.1.0a16"
    assert find_engine("embedded-1.08") == find_engine(nets="1.08") == engine


def test_nothing_on_the_machine_is_one_sentence_with_every_remedy(nowhere: Path) -> None:
    with pytest.raises(EngineNotFoundError) as refused:
        find_engine()
    text = str(refused.value)
    assert "the Python package gnubg 1.1.0a16 is not installed here: set the project up again (./run)" in text
    assert "GNU Backgammon (gnubg) is neither on PATH nor in" in text
    assert "install the packages gnubg and faketime" in text
    assert "\n" not in text


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize("version", ["1.07.001", "1.08.003"])
def test_without_the_package_the_systems_gnubg_is_taken(nowhere: Path, version: str) -> None:
    path = program(nowhere, f"GNU Backgammon {version} 20250405")
    assert find_engine().program == find_engine(str(path)).program == path
    assert find_engine().known.name == f"system-{version}"


@pytest.mark.usefixtures("clock")
def test_a_program_with_other_nets_than_asked_for_is_refused(nowhere: Path) -> None:
    path = program(nowhere, "GNU Backgammon 1.07.001 20230103")
    with pytest.raises(
        EngineVersionError, match=r"reports 'GNU Backgammon 1\.07\.001 20230103', .* with the nets 1\.08"
    ):
        find_engine(str(path), "1.08")
    with pytest.raises(EngineNotFoundError):
        find_engine(nets="1.08")


def test_an_unknown_version_is_named_with_those_that_are_known(nowhere: Path) -> None:
    path = program(nowhere, "GNU Backgammon 1.06.002 20180802")
    with pytest.raises(
        EngineVersionError, match=r"'GNU Backgammon 1\.06\.002 20180802'.*known are .*system-1\.08\.003"
    ):
        find_engine(str(path))
    with pytest.raises(EngineNotFoundError, match=r"no such program.*GNU Backgammon"):
        find_engine("/no/such/gnubg")


def test_an_absent_clock_says_how_to_get_one(nowhere: Path) -> None:
    path = program(nowhere, "GNU Backgammon 1.08.003 20250405")
    locate.find_clock.cache_clear()
    with pytest.raises(ClockNotFoundError, match="package faketime"):
        find_engine(str(path))


def test_shared_memory_that_killed_processes_left_does_not_stop_the_clock(
    old_engine: Engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shell = tmp_path / "sh"
    shell.write_text(LEAVES)
    shell.chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    locate.find_clock.cache_clear()
    assert locate.find_clock() == old_engine.clock


def test_a_clock_that_does_not_start_is_one_sentence(nowhere: Path) -> None:
    path = program(nowhere, "GNU Backgammon 1.08.003 20250405")
    wrapper = nowhere / "faketime"
    wrapper.write_text("#!/bin/sh\necho sem_open: Permission denied >&2\nexit 1\n")
    wrapper.chmod(0o755)
    for tool in ("sh", "rm"):
        (nowhere / tool).symlink_to(f"/bin/{tool}")
    locate.find_clock.cache_clear()
    with pytest.raises(ClockNotFoundError, match=r"faketime does not start .sem_open: Permission denied"):
        find_engine(str(path))


def test_a_module_that_does_not_load_says_what_is_missing(monkeypatch: pytest.MonkeyPatch, engine: Engine) -> None:
    def fail(name: str) -> None:
        raise OSError("libglib-2.0.so.0: cannot open shared object file: No such file or directory")

    monkeypatch.setattr(locate.ctypes, "CDLL", fail)
    with pytest.raises(EngineNotFoundError, match=r"libglib-2\.0\.so\.0: cannot open.*package libglib2\.0-0"):
        find_engine(engine.known.name)


def test_a_module_without_the_calls_that_are_replaced_is_refused() -> None:
    library = Path(
        next(line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if "libm" in line)
    )
    with pytest.raises(EngineVersionError, match="does not call time and g_usleep"):
        locate._replaced_calls(library)
