"""The same figures on every processor: numpy and OpenBLAS take this one for an older one."""

import os
import platform
import sys
from pathlib import Path

import pytest

from commands import run
from refit import refit

pytestmark = pytest.mark.skipif(
    platform.machine() != "x86_64", reason="what is settled is the code for x86-64"
)

ENGINE_VERSION = "1.07.001"
HERE = {"OPENBLAS_CORETYPE": "", "NPY_DISABLE_CPU_FEATURES": ""}
OLDER = {"OPENBLAS_CORETYPE": "Sandybridge", "NPY_DISABLE_CPU_FEATURES": "X86_V3"}
OLDER |= {"OPENBLAS_NUM_THREADS": "1"}
SEEN = f"""
import numpy, os, pathlib
said = "\\n".join(os.environ[name] for name in {[*HERE]})
pathlib.Path(snakemake.output[0]).write_text(said)
"""
RULE = """
include: {workflow!r}
rule seen:
    output: {seen!r}
    script: {seen!r} + ".py"
"""
# The mathematical functions of the C library, which no setting of ours reaches.
OLDER_FUNCTIONS = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA"}


def refitted(project: Path, folder: Path, processor: dict[str, str], first: str) -> dict[str, str]:
    """Return what a refit in a process of its own writes; `first` is done first."""
    folder.mkdir()
    program = f"{first}; import runpy; runpy.run_module('refit', run_name='__main__')"
    modules = os.pathsep.join(str(project / name) for name in ("scripts", "tests/oracles"))
    command = [sys.executable, "-c", program, project / "results" / ENGINE_VERSION, folder]
    done = run(command, env=os.environ | processor | {"PYTHONPATH": modules})
    assert done.returncode == 0, done.stderr
    return written(folder)


def written(folder: Path) -> dict[str, str]:
    tables = [path for path in folder.iterdir() if path.suffix != ".png"]
    return {path.name: path.read_text() for path in tables if ".provenance." not in path.name}


@pytest.mark.nightly
def test_a_refit_is_the_same_on_every_processor(project: Path, tmp_path: Path) -> None:
    """Neither seeds of hashes, which order sets, nor threads matter."""
    # Where nothing is settled, numpy has what the processor says.
    older = OLDER | OLDER_FUNCTIONS
    left_alone = refitted(project, tmp_path / "left_alone", older, "import bgrating")
    settle = "from bgrating.processor import settle; settle()"
    settled = refitted(project, tmp_path / "settled", OLDER, settle)
    (tmp_path / "here").mkdir()
    refit(project / "results" / ENGINE_VERSION, tmp_path / "here")
    here = written(tmp_path / "here")
    assert here == settled
    digits = [tables.pop("every_digit.csv") for tables in (here, left_alone)]
    assert digits[0] != digits[1], "nothing differs, so the test sees nothing"
    # Fewer digits are written than any of them determines.
    assert here == left_alone


def test_snakemake_hands_the_settings_to_its_scripts(project: Path, tmp_path: Path) -> None:
    (tmp_path / "seen.py").write_text(SEEN)
    rule = RULE.format(workflow=str(project / "Snakefile"), seen=str(tmp_path / "seen"))
    (tmp_path / "Snakefile").write_text(rule)
    command = [sys.executable, "-m", "snakemake", "--nolock", "-s", tmp_path / "Snakefile", "seen"]
    done = run(command, cwd=project, env=os.environ | HERE)
    assert done.returncode == 0, done.stderr
    # This package sets them for pytest.
    assert (tmp_path / "seen").read_text() == "\n".join(os.environ[name] for name in HERE)
