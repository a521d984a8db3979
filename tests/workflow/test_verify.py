"""`./run verify` finds what is kept, names what was changed, and touches nothing."""

import os
import random
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from bgrating.engine.known_engines import engine_versions
from bgrating.engine.locate import Engine
from bgrating.rating.result_files import results_of
from bgrating.tables.provenance import read_provenance, write_provenance
from commands import Run, run
from corpus import cases
from repository_files import copy_tracked, tracked
from study import verify
from study.custody import CustodyError
from study.manifest import MANIFEST, chain
from study.verify import VerifyError, compare, compare_all, compare_lines, frozen_shards, replay

FROM_ELSEWHERE = re.compile(
    # Inputs; what a tag makes; what was written down before tests; people's matches, which are not
    # part of the repository; times; what benchmarks write, which slow tests compute again. The
    # law's rule replaces formula.json without naming it as an output.
    r"frozen/|law/research-2026-11/|law/(?:drawn|sensitivity|further|coverage|slopes|depth)\.csv|law/[\w-]+-(?:(?:fixed|before)\.json|(?:power|rates|trial)\.csv)|people/|people-depth/"
    r"|field/|statistics/|tournament/ladder-|verdicts\.csv|^formula\.json"
)


@pytest.mark.parametrize("engine_version", engine_versions())
def test_every_kept_file_is_made_again_or_an_input(
    snakemake: Run, tmp_path: Path, engine_version: str
) -> None:
    kept = results_of(engine_version)
    for frozen in kept.rglob("frozen"):
        shutil.copytree(frozen, tmp_path / engine_version / frozen.relative_to(kept))
    said = snakemake(
        "-n", "refit", "--config", f"nets={engine_version}", f"results={tmp_path}"
    ).stdout
    asked = re.search(r"^rule refit:\n    input: (.*)", said, re.MULTILINE)
    assert asked, said
    made = {str(Path(name).relative_to(tmp_path / engine_version)) for name in asked[1].split(", ")}
    for name in tracked(folder=kept):
        ways = {name, name.removesuffix(".provenance.json"), str(Path(name).parent)}
        assert made & ways or FROM_ELSEWHERE.search(name), name


def write(folder: Path, text: str, name: str = "table.csv") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text)
    return folder / name


FIGURES = [
    ("t.csv", f"a,b\nx,20\ny,{made}\n", f"a,b\nx,20\ny,{kept}\n", said)
    for made, kept, said in cases("sentences.figures_that_differ")
]


@pytest.mark.parametrize(
    ("name", "made", "kept", "said"), [*FIGURES, *cases("sentences.files_that_differ")]
)
def test_files_are_compared_but_for_a_figures_last_digit(
    tmp_path: Path, name: str, made: str, kept: str, said: str
) -> None:
    new, old = write(tmp_path / "new", made, name), write(tmp_path / "old", kept, name)
    if not said:
        compare(new, old)
    else:
        with pytest.raises(VerifyError, match=f"{old}.*{said}"):
            compare(new, old)


def sums_of(folder: Path) -> str:
    """Return the manifest of a folder as the program of coreutils makes it."""
    files = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return run(["sha256sum", "--", *files], cwd=folder).stdout


def test_each_file_that_was_made_again_is_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept, made = tmp_path / "kept" / "1.08", tmp_path / "made" / "1.08"
    (kept / "law").mkdir(parents=True)
    write_provenance(write(kept / "law", "a\n1.5\n"), rows=1)
    shutil.copytree(kept / "law", made / "law")
    for name in ("report.html", "summary.txt", "matches.parquet"):
        write(made / "law", "not kept", name)
    (kept.parent / MANIFEST).write_text(sums_of(kept.parent))
    assert compare_all(made, kept) == "2 files the same, but for a figure's tenth digit"
    write(kept / "law", "a\n1.6\n")
    (kept / "law" / "table.csv.provenance.json").unlink()
    named = r"law/table\.csv: line 2 is '1\.6'.*; .*provenance\.json is not there"
    with pytest.raises(VerifyError, match=named):
        compare_all(made, kept)
    assert verify._report("1.08", lambda: compare_all(made, kept)) is False
    assert capsys.readouterr().out.startswith("  1.08: NOT REPRODUCED: ")


def test_an_empty_folder_was_not_made_again(tmp_path: Path) -> None:
    write(tmp_path / "1.08", "a\n1.5\n")
    (tmp_path / MANIFEST).write_text(sums_of(tmp_path))
    with pytest.raises(VerifyError, match="was made again"):
        compare_all(tmp_path / "made" / "1.08", tmp_path / "1.08")


def test_a_document_of_other_figures_is_named(tmp_path: Path) -> None:
    document = write(tmp_path, "b is\n4,000\n", "README.md")
    sentence = f"{document}: line 2 is '4,000', and '9,505' is made now"
    with pytest.raises(VerifyError, match=sentence):
        compare_lines("b is\n9,505\n", document)


def test_a_changed_formula_is_named(tmp_path: Path) -> None:
    real, kept = results_of("1.08"), tmp_path / "1.08"
    for name in ("formula.json", "law/coefficients.csv"):
        (kept / name).parent.mkdir(parents=True, exist_ok=True)
        for path in (name, f"{name}.provenance.json"):
            if (real / path).is_file():
                shutil.copy(real / path, kept / path)
    (tmp_path / MANIFEST).write_text(sums_of(tmp_path))
    assert compare_all(real, kept).endswith("files the same, but for a figure's tenth digit")
    for name in ("formula.json", "law/coefficients.csv"):
        text = (kept / name).read_text()
        cost = re.search(r"(?:\"b_const\": |law,b_const,)([\d.]+)", text)
        assert cost
        (kept / name).write_text(text.replace(cost[1], "4000"))
    with pytest.raises(VerifyError) as said:
        compare_all(real, kept)
    assert re.search(rf"{kept}/formula\.json: line \d+ is '    \"b_const\": 4000", str(said.value))
    assert f"{kept}/law/coefficients.csv: line " in str(said.value)


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """Return a study that is kept, with its manifest."""
    study = tmp_path / "1.07.001" / "check-zadeh"
    copy_tracked(results_of("1.07.001") / "check-zadeh", study)
    (tmp_path / MANIFEST).write_text(sums_of(tmp_path))
    return study


def test_whatever_differs_from_the_manifest_is_named(kept: Path) -> None:
    results = kept.parents[1]
    assert "files have the checksums of SHA256SUMS" in chain(results)
    write(kept, "unlisted: a run's own", "report.html")
    own = results / "1.08" / "mini"
    own.mkdir(parents=True)
    write(own, "unlisted: a user's own study", "points.csv")
    chain(results)
    write(kept, "a\n1\n", "points.csv")
    (frozen,) = (kept / "frozen").glob("*.parquet")
    frozen.unlink()
    named = rf"{frozen} is not there; .*{kept}/points\.csv is not the one that SHA256SUMS"
    with pytest.raises(CustodyError, match=named):
        chain(results)


@pytest.mark.parametrize("name", ["frozen/5.parquet", "points.csv"])
def test_what_was_made_of_another_file_is_named_though_the_manifest_agrees(
    kept: Path, name: str
) -> None:
    results = kept.parents[1]
    (kept / name).write_bytes((kept / name).read_bytes() + b"\n")
    write_provenance(kept / name, **read_provenance(kept / name))
    (results / MANIFEST).unlink()
    (results / MANIFEST).write_text(sums_of(results))
    with pytest.raises(CustodyError, match=f"the record of {kept}/.* names another {kept / name}"):
        chain(results)


def test_a_shortened_manifest_is_named(kept: Path) -> None:
    sums, formula = kept.parents[1] / MANIFEST, kept / "formula.json"
    lines = sums.read_text().splitlines(keepends=True)
    formula.write_text(formula.read_text().replace("0.9", "0.8"))
    without = "".join(line for line in lines if "formula.json" not in line)
    for shortened, named in (
        (without, rf"{formula} is not listed in SHA256SUMS.*: restore what differs"),
        ("".join(lines[:-1]), rf"{sums.parent / lines[-1].split()[1]} is not listed"),
        ("", rf"is not listed in SHA256SUMS.*; and {len(lines) - 5} more: restore"),
    ):
        sums.write_text(shortened)
        with pytest.raises(CustodyError, match=named):
            chain(sums.parent)


@pytest.mark.parametrize("text", cases("sentences.damaged_manifests"))
def test_a_damaged_manifest_is_one_sentence(kept: Path, text: str) -> None:
    sums = kept.parents[1] / MANIFEST
    sums.write_text(text.format(sums=sums.read_text(), digest="0" * 64), encoding="latin-1")
    with pytest.raises(CustodyError, match=rf"{sums}.*: restore it from the repository$") as told:
        chain(sums.parent)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda path: None])
def test_a_manifest_that_is_no_file_is_one_sentence(
    kept: Path, make: Callable[[Path], None]
) -> None:
    sums = kept.parents[1] / MANIFEST
    sums.unlink()
    make(sums)
    with pytest.raises(CustodyError, match=rf"{sums} cannot be read.*: restore it from the repo"):
        chain(sums.parent)


@pytest.mark.parametrize(
    "text",
    ["{", "[]", '{"sha256": 1}', '{"sha256": "", "made_of": 3}', '{"sha256": "", "tables": []}'],
)
def test_a_damaged_record_is_one_sentence(kept: Path, text: str) -> None:
    record = kept / "formula.json.provenance.json"
    record.write_text(text)
    with pytest.raises(CustodyError, match=r"formula\.json.*: restore what differs") as refused:
        chain(kept.parents[1])
    assert "\n" not in str(refused.value)


def test_the_manifest_lists_every_kept_file(project: Path) -> None:
    results = project / "results"
    listed = {line.split("  ")[1] for line in (results / MANIFEST).read_text().splitlines()}
    assert listed == {*tracked(folder=results)} - {MANIFEST, "README.md"}
    assert "files have the checksums of SHA256SUMS" in chain(results)


@pytest.mark.slow
def test_a_shard_is_played_again_and_git_stays_clean(engine: Engine, project: Path) -> None:
    command = ["git", "-c", f"safe.directory={project}", "status", "--porcelain"]
    before = run(command, cwd=project)
    assert before.returncode == 0
    shards = frozen_shards(results_of(engine.known.version))
    shards = [shard for shard in shards if shard.table.stem == "3"]
    assert "matches the same" in replay(engine, random.Random(1).choice(shards))
    assert run(command, cwd=project).stdout == before.stdout


@pytest.mark.slow
def test_an_ended_run_leaves_no_process_and_no_folder(project: Path, tmp_path: Path) -> None:
    words = ["./run", "verify", "--nolock", "--results", str(tmp_path / "results")]
    own = os.environ | {"TMPDIR": str(tmp_path)}
    alone = {"stdout": subprocess.DEVNULL, "start_new_session": True}
    started = subprocess.Popen(words, cwd=project, env=own, **alone)
    while not list(tmp_path.glob("bgrating-*/1.08/.snakemake/log/*")):
        assert started.poll() is None, "it ended before Snakemake was at work"
        time.sleep(0.1)
    os.killpg(started.pid, signal.SIGINT)  # as Ctrl-C does
    assert started.wait() != 0
    end = time.monotonic() + 600
    while list(tmp_path.glob("bgrating-*")) and time.monotonic() < end:
        time.sleep(0.1)
    assert list(tmp_path.glob("bgrating-*")) == []
    commands = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has just ended
            commands.append((process / "cmdline").read_text(errors="replace"))
    assert [words for words in commands if str(tmp_path) in words] == []


@pytest.mark.slow
def test_the_target_coefficients_makes_what_is_kept(snakemake: Run, tmp_path: Path) -> None:
    kept = results_of("1.07.001")
    for frozen in kept.rglob("frozen"):
        shutil.copytree(frozen, tmp_path / kept.name / frozen.relative_to(kept))
    done = snakemake("coefficients", "--config", "nets=1.07.001", f"results={tmp_path}")
    assert done.returncode == 0, done.stdout
    names = ["coefficients.csv", "formula.json"]
    for name in (*names, *(f"part2/{name}" for name in names), "law/coefficients.csv"):
        compare(tmp_path / kept.name / name, kept / name)


def test_no_table_of_a_study_is_left_untracked(project: Path) -> None:
    kept = {f"results/{name}" for name in tracked(folder=project / "results")}
    made = ("points.csv", "points.csv.provenance.json", "coefficients.csv", "formula.json")
    studies = [folder.parent for folder in project.glob("results/*/*/frozen")]
    studies = [one.relative_to(project) for one in studies if not one.name.startswith("people-")]
    names = [f"{study}/{name}" for study in studies for name in (*made, "fit.provenance.json")]
    ignored = run(["git", "check-ignore", "--no-index", *names], cwd=project).stdout.splitlines()
    assert sorted({*names} - {*ignored} - kept) == []
