"""Commands for players and clubs run where all that only Linux has is taken away."""

import sys
import zipfile
from pathlib import Path

import pytest

from bgrating.engine.locate import Engine
from commands import of_user, run
from corpus import cases, values
from short_match import match

# Python's modules and the libraries are there first: on macOS they have parts of their own for what
# goes.
CODE = f"""
import sys
import asyncio, concurrent.futures, multiprocessing.pool, os, select, shutil, signal, subprocess, tempfile
import click, jinja2, jsonschema, matplotlib, numpy, pandas, pyarrow.parquet, scipy.stats, yaml, platformdirs
for module, names in {values("linux_alone")}.items():
    for name in names:
        if hasattr(sys.modules[module], name):
            delattr(sys.modules[module], name)
from bgrating.command import main
main()
"""


@pytest.mark.parametrize("words", cases("values.portable_commands"))
def test_a_command_runs_without_what_only_linux_has(
    tmp_path: Path, engine: Engine, words: list[str]
) -> None:
    (tmp_path / "ann.mat").write_text(match())
    if words == ["open"]:
        (tmp_path / "bgrating-results").mkdir()
        (tmp_path / "bgrating-results/index.html").touch()
    with zipfile.ZipFile(tmp_path / "club.zip", "w") as packed:
        packed.write(tmp_path / "ann.mat", "ann.mat")
    done = run([sys.executable, "-c", CODE, *words], cwd=tmp_path, env=of_user(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout
    assert "rejected" not in done.stdout
