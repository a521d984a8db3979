"""The parts of the lock file, and what uv is told of pip's settings."""

import os
import re
import sys
from importlib.metadata import requires
from pathlib import Path

import pytest
from pip._vendor.packaging.requirements import Requirement

from study.environment import Installer, files, for_uv, name_of, read_parts, wanted


@pytest.fixture(scope="module")
def lock(project: Path) -> dict[str, list[str]]:
    return read_parts((project / "requirements.lock").read_text())


def test_every_package_is_in_one_part_with_all_that_it_needs(lock: dict[str, list[str]]) -> None:
    assert [*lock] == ["set-up", "rate", "ratings", "study"]
    names = [name_of(pin) for pins in lock.values() for pin in pins]
    assert len(names) == len({*names})
    assert all(
        re.fullmatch(r"\S+==.*\\\n(    --hash=sha256:.{64} \\\n)*    .*\n", pin)
        for pins in lock.values()
        for pin in pins
    )
    for part in [*lock][1:]:
        there = {name_of(pin) for pin in wanted(lock, part)}
        needed = (Requirement(text) for name in there for text in requires(name) or ())
        at_once = {one.name.lower() for one in needed if not one.marker or one.marker.evaluate({"extra": ""})}
        assert {re.sub(r"[._]", "-", name) for name in at_once} <= there


def test_parts_follow_requirements(project: Path, lock: dict[str, list[str]]) -> None:
    text = (project / "requirements.in").read_text()
    assert re.findall("^## .*", text, re.MULTILINE) == re.findall(
        "^## .*", (project / "requirements.lock").read_text(), re.MULTILINE
    )
    for part, packages in read_parts(text).items():
        assert {*map(name_of, packages)} <= {*map(name_of, lock[part])}


def test_a_marker_decides_who_gets_a_package() -> None:
    here, elsewhere = (f'a{sign} ; sys_platform {sign} "{sys.platform}" \\\n    --hash=x\n' for sign in ("==", "!="))
    here, elsewhere = here.replace("a==", "a==1"), elsewhere.replace("a!=", "b==1")
    parts = read_parts(f"# words\n## set-up\nuv==1\n## rate: words\n{here}{elsewhere}# more\n## study\nc==1\n")
    assert wanted(parts, "rate") == [here]
    assert wanted(parts, "study") == [here, "c==1\n"]


def test_files_that_are_gone_are_listed(tmp_path: Path) -> None:
    """importlib.metadata leaves them out from Python 3.12 on."""
    about = tmp_path / "a-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Name: a\nVersion: 1\n")
    (about / "RECORD").write_text('"a/b,c.py",,\na/__pycache__/d.pyc,,\n../../../bin/a,,\n')
    from importlib.metadata import PathDistribution

    found = files(PathDistribution(about))
    assert [str(path.relative_to(tmp_path)) for path in found] == ["a/b,c.py", "../../../bin/a"]


def test_uv_is_told_what_pip_is_told() -> None:
    listed = """\
:env:.cert='/c.pem'
:env:.find-links='a b'
global.index-url='one it%27s'
global.no-index='1'
global.retries='9'
global.unknown='x'
install.index-url="two it's"
"""
    told, options = for_uv(listed, {"UV_HTTP_RETRIES": "2", "PATH": "p"})
    told.pop("UV_SYSTEM_CERTS", None)
    assert told == {
        "UV_DEFAULT_INDEX": "two it's", "UV_FIND_LINKS": "a,b", "SSL_CERT_FILE": "/c.pem",
        "UV_HTTP_RETRIES": "2", "UV_INDEX_STRATEGY": "unsafe-best-match", "PATH": "p",
    }  # fmt: skip
    assert options == ["--no-index"]
    assert for_uv("global.no-index='0'\n", {})[1] == []


def test_a_tool_that_ends_before_it_reads_its_list_tells_its_status(tmp_path: Path) -> None:
    installer, more_than_a_pipe_holds = Installer(tmp_path / "log"), "x" * 1_000_000
    command = ["sh", "-c", "exec <&-; echo error: no thanks; exit 2"]
    assert installer._run(command, more_than_a_pipe_holds, lambda _: None, os.environ) == (2, "error: no thanks\n")
