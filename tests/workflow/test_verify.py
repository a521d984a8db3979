"""`./run verify`: what is kept is found again, what was changed is named, and nothing of the project is touched."""

import random
import re
import shutil
import subprocess
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from bgrating.engine.locate import Engine
from bgrating.engine.nets import committed_results, known_nets
from bgrating.tables.provenance import ProvenanceError, provenance_path, read_provenance, write_provenance
from study import verify
from study.verify import VerifyError, _shards, compare, comparisons, remake, replay, same_text
from tracked import tracked

Run = Callable[..., subprocess.CompletedProcess[str]]
FROM_ELSEWHERE = re.compile(
    # Inputs; what was written down before tests; people's matches, which are not part of the repository; times.
    r"frozen/|law/[\w-]+-(?:fixed\.json|power\.csv|trial\.csv)|people/|field/|statistics/"
)
JUDGES = re.compile(r"people-depth/(?:judges|people_judge|likelihood|quiz|xg)[\w.]*")  # study/people/judge.py


@pytest.mark.parametrize("nets", known_nets())
def test_every_kept_file_is_made_again_or_an_input(snakemake: Run, tmp_path: Path, nets: str) -> None:
    kept = committed_results(nets)
    for frozen in kept.rglob("frozen"):
        shutil.copytree(frozen, tmp_path / nets / frozen.relative_to(kept))
    said = snakemake("-n", "refit", "--config", f"nets={nets}", f"results={tmp_path}").stdout
    asked = re.search(r"^rule refit:\n    input: (.*)", said, re.MULTILINE)
    assert asked, said
    made = {str(Path(name).relative_to(tmp_path / nets)) for name in asked[1].split(", ")}
    left = [
        name for name in tracked(folder=kept)
        if name not in made and str(Path(name).parent) not in made and not JUDGES.fullmatch(name)
        and not FROM_ELSEWHERE.search(name)
        and not (name.endswith(".provenance.json") and name.removesuffix(".provenance.json") in made)
    ]  # fmt: skip
    assert left == []


def write(folder: Path, text: str, name: str = "table.csv") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text)
    return folder / name


@pytest.mark.parametrize(
    ("made", "kept", "said"),
    [
        ("1.234567891", "1.234567892", None),  # the tenth digit
        ("1.234567891", "1.234567894", "row 2, column b: 1.234567894 is kept, 1.234567891 is made now"),
        ("-7e-12", "3e-12", None),  # zero, beside 20
        ("2", "3", "row 2, column b: 3 is kept"),
        ("inf", "inf", None),
        ("", "7", "row 2, column b: 7 is kept, nothing is made"),
        ("nan", "", "row 2, column b: nothing is kept, nan is made"),
        ("5", "5,6", "row 2, column : 6 is kept, nothing is made"),
    ],
)
def test_figures_may_differ_in_their_last_digit_alone(tmp_path: Path, made: str, kept: str, said: str | None) -> None:
    new, old = (write(tmp_path / name, f"a,b\nx,20\ny,{cell}\n") for name, cell in (("new", made), ("old", kept)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if said is None:
            assert compare(new, old) <= verify.RELATIVE
        else:
            with pytest.raises(VerifyError, match=f"{old}: {said}"):
                compare(new, old)


@pytest.mark.parametrize(
    ("name", "made", "kept", "said"),
    [
        ("t.csv", "a,b\n1,2\n", "a,c\n1,2\n", r"has 1 rows of \['a', 'c'\], not 1 of \['a', 'b'\]"),
        ("t.csv", "a\n1\n", "", "has 0 rows"),
        ("t.json", '{"a": [1, 2]}', '{"a": [1, 3]}', ": a: 2: 3 is kept, 2 is made now"),
        ("t.json", '{"a": 1}', '{"a": 1, "b": 2}', "b is kept, and not made now"),
        ("t.json", '{"a": 1}', "{", "is not JSON"),
        ("t.json", '{"a": 1, "code_version": "x"}', '{"code_version": "y", "a": 1}', None),
        ("t.svg", '<use y="1.000001"/>', '<use y="1.000002"/>', None),
        ("t.svg", '<use y="1.0"/>', '<use y="1.1"/>', "line 1 is drawn otherwise"),
        ("t.svg", '<use y="1"/>', '<use x="1"/>', "line 1 is drawn otherwise"),
        ("t.png", "1", "2", "has other bytes"),
    ],
)
def test_other_files_are_compared_by_what_they_hold(
    tmp_path: Path, name: str, made: str, kept: str, said: str | None
) -> None:
    new, old = write(tmp_path / "new", made, name), write(tmp_path / "old", kept, name)
    if said is None:
        assert compare(new, old) == 0
    else:
        with pytest.raises(VerifyError, match=f"{old}.*{said}"):
            compare(new, old)


def test_each_folder_is_compared_and_the_rest_by_its_checksums(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept, made = tmp_path / "kept" / "1.08", tmp_path / "made" / "1.08"
    for name in ("law", "people"):
        (kept / name).mkdir(parents=True)
        write_provenance(write(kept / name, "a\n1.5\n"), rows=1)
    shutil.copytree(kept / "law", made / "law")
    for name in ("report.html", "summary.txt", "matches.parquet"):
        write(made / "law", "not kept", name)
    assert [check() for _, check in comparisons(made, kept)] == [
        "2 files, largest relative difference 0e+00", "1 files have the checksums of their provenance"
    ]  # fmt: skip
    write(kept / "law", "a\n1.6\n")
    write(kept / "people", "a\n1.6\n")
    write(made / "law", "a\n1\n", "new.csv")
    law, people = comparisons(made, kept)
    with pytest.raises(
        VerifyError, match=r"law/new\.csv is not there; .*law/table\.csv: row 1, column a: 1\.6 is kept"
    ):
        law[1]()
    with pytest.raises(ProvenanceError, match=r"people/table\.csv: its checksum is not the one in its provenance"):
        people[1]()
    assert verify._tell(*law) is False
    assert capsys.readouterr().out.startswith("  1.08/law: NOT REPRODUCED: ")


def test_a_provenance_of_other_facts_is_named(tmp_path: Path) -> None:
    new, old = write(tmp_path / "new", "a\n1\n"), write(tmp_path / "old", "a\n1\n")
    write_provenance(new, matches=3200, code_version="now")
    write_provenance(old, matches=3000, code_version="then")
    with pytest.raises(VerifyError, match=f"{provenance_path(old)}: matches: 3000 is kept, 3200 is made now"):
        compare(provenance_path(new), provenance_path(old))
    write_provenance(old, **read_provenance(old) | {"sha256": "0"})
    provenance_path(old).write_text('{"sha256": "0"}')
    with pytest.raises(ProvenanceError, match="its checksum is not"):
        compare(new, old)


def test_a_document_of_other_figures_is_named(tmp_path: Path) -> None:
    document = write(tmp_path, "b is\n4,000\n", "README.md")
    with pytest.raises(VerifyError, match=f"{document}: line 2 is '4,000', and '9,505' by the tables"):
        same_text(document, "b is\n9,505\n")


def test_a_changed_formula_fails_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real, kept = committed_results("1.08"), tmp_path / "1.08"
    shutil.copytree(real, kept, ignore=shutil.ignore_patterns("frozen", "*.html"))

    def copied(nets: str, place: Path, cores: int) -> str:
        ignored = shutil.ignore_patterns(
            "frozen", "people", "field", "statistics", "*-fixed.json", "*power*", "*trial*"
        )
        shutil.copytree(real, place / nets / "results" / nets, ignore=ignored)
        return ""

    monkeypatch.setattr(verify, "remake", copied)
    monkeypatch.setattr(verify, "committed_results", lambda _: kept)
    monkeypatch.setattr(verify, "_replays", lambda *_: [])
    arguments = ["--nets", "1.08"]
    assert verify.command.main(arguments, standalone_mode=False) == 0, capsys.readouterr().out
    for name in ("formula.json", "law/lengths.csv"):
        text = (kept / name).read_text()
        cost = re.search(r"(?:\"b_const\": |7,b,)([\d.]+)", text)
        assert cost
        (kept / name).write_text(text.replace(cost[1], "4000"))
        write_provenance(kept / name, **read_provenance(kept / name))  # as somebody would who wants it to be believed
    capsys.readouterr()
    assert verify.command.main(arguments, standalone_mode=False) == 1
    said = capsys.readouterr().out
    assert f"1.08: NOT REPRODUCED: {kept}/formula.json: estimate: b_const: 4000 is kept" in said
    assert re.search(
        rf"1\.08/law: NOT REPRODUCED: {kept}/law/lengths\.csv: row \d+, column estimate: 4000 is kept", said
    )


def test_frozen_tables_that_are_gone_are_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frozen = committed_results("1.07.001") / "check-zadeh" / "frozen"
    shutil.copytree(frozen, tmp_path / "kept" / "check-zadeh" / "frozen")
    monkeypatch.setattr(verify, "committed_results", lambda _: tmp_path / "kept")
    assert "no frozen matches of tournament/default" in remake("1.07.001", tmp_path, 1)


def test_a_shard_is_played_again_and_git_stays_clean(engine: Engine, project: Path) -> None:
    command = ["git", "-c", f"safe.directory={project}", "status", "--porcelain"]
    before = subprocess.run(command, cwd=project, capture_output=True, text=True, check=True).stdout
    shards = [shard for shard in _shards(committed_results(engine.known.nets)) if shard.table.stem == "3"]
    assert "matches the same, largest difference" in replay(engine, random.Random(1).choice(shards))
    assert subprocess.run(command, cwd=project, capture_output=True, text=True, check=True).stdout == before
