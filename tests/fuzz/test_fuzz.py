"""Attacks repeat by their seed, and each outcome is told from the others."""

import asyncio
import dataclasses
import io
import json
import random
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import text_tokens
from bgleague.settings import GamesToRate
from bgmatch import read_matches
from bgmatch.model import MatchFile
from bgrating import BgratingError
from bgrating.collection import accounts, copies, readings
from bgrating.engine import levels
from bgrating.serve.jobs import Queue
from bgrating.tables import folder as results_folder
from corpus import cases
from fuzz import outcomes, run, serving, settings
from fuzz.changes import CHANGES, Archive, as_sheet, unzipped, zipped
from fuzz.outcomes import OUTCOMES, Outcome, lines_of_list, lines_of_sheet, outcome
from match_texts import TEXTS
from text_tokens import DIFFERENCES, lost_rows

GNUBG, UNLIMITED = TEXTS["gnubg"], TEXTS["unlimited"]
SOUND = UNLIMITED.encode()
OTHER = UNLIMITED.replace("52: 13/8 24/22", "52: 13/8 13/11")
LIST = b"date,player1,player2,score1,score2,length\n2026-01-01,Ann,Bob,7,3,7\n2026-01-02,Bob,Ann,5,1,5\n"


@pytest.fixture(name="folder")
def _folder(tmp_path: Path) -> Path:
    (tmp_path / "empty").mkdir()
    return tmp_path / "empty"


def told(text: str, folder: Path) -> tuple[str, str, int]:
    return dataclasses.astuple(outcome("text", text.encode(), [SOUND], folder))


@pytest.mark.parametrize(("kind", "old", "new", "result", "differs"), cases("attacks.outcomes"))
def test_outcomes_of_texts_and_lists(
    folder: Path, kind: str, old: str, new: str, result: str, differs: str
) -> None:
    sound = SOUND if kind == "text" else LIST
    changed = new.encode() if old == "all" else sound.replace(old.encode(), new.encode())
    if kind == "xlsx":
        sound, changed = as_sheet(sound), as_sheet(changed)
    assert outcome(kind, changed, [sound], folder) == Outcome(result, differs)


def test_a_spreadsheet_does_not_tell_when_it_was_made() -> None:
    with zipfile.ZipFile(io.BytesIO(as_sheet(LIST))) as packed:
        assert {one.date_time[0] for one in packed.infolist()} == {1980}
        assert packed.read("docProps/core.xml").count(b"2026-01-01T00:00:00Z") == 2


def test_a_cut_spreadsheet_is_refused(folder: Path) -> None:
    assert lines_of_sheet(as_sheet(LIST)) == lines_of_list(LIST)
    assert outcome("xlsx", as_sheet(LIST)[:-30], [as_sheet(LIST)], folder) == Outcome("refused")


def test_a_reader_that_loses_a_roll_is_found(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lossy(data: bytes) -> MatchFile:
        file = read_matches(data)
        (match,) = file.matches
        games = tuple(dataclasses.replace(game, actions=game.actions[1:]) for game in match.games)
        return dataclasses.replace(file, matches=(dataclasses.replace(match, games=games),))

    assert lost_rows(OTHER.encode()) == 0
    monkeypatch.setattr(outcomes, "read_matches", lossy)
    monkeypatch.setattr(text_tokens, "read_matches", lossy)
    assert told(OTHER, folder)[0] == "misread"
    assert lost_rows(OTHER.encode()) == 1


def test_rows_that_a_finding_names_are_not_lost() -> None:
    again = GNUBG.replace("3 point match", "3 pxint match") + GNUBG
    assert lost_rows(again.encode()) == 0  # the rows of the first, whose length cannot be read
    assert lost_rows(b"no match") == 0


def test_a_reader_that_falls_is_found(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def falling(*_about: object) -> MatchFile:
        raise ZeroDivisionError

    monkeypatch.setattr(readings, "read_file", falling)
    assert told(UNLIMITED, folder)[0] == "fallen"
    assert outcome("zip", zipped([("a.mat", SOUND)], 8), [b""], folder).result == "fallen"


def test_outcomes_of_archives(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sound = zipped([("a.mat", SOUND), ("b.mat", OTHER.encode())], zipfile.ZIP_DEFLATED)
    assert unzipped(sound) == [("a.mat", SOUND), ("b.mat", OTHER.encode())]

    def judged(*members: tuple[str, bytes]) -> Outcome:
        return outcome("zip", zipped(list(members), zipfile.ZIP_STORED), [sound], folder)

    assert judged(("a.mat", SOUND), ("b.mat", OTHER.encode())) == Outcome("same")
    renamed = judged(("a.mat", SOUND), ("../c.mat", OTHER.encode()))
    assert renamed == Outcome("consistent", "headers")
    assert judged(("a.mat", SOUND), ("b.mat", b"1")) == Outcome("flagged")
    assert judged(("a.mat", SOUND)) == Outcome("misread", "rolls")
    assert outcome("zip", sound[:-9], [sound], folder) == Outcome("refused")
    monkeypatch.setattr(outcomes, "with_members", lambda found: iter(found[:0]))
    assert outcome("zip", sound, [zipped([("a.mat", SOUND)], 8)], folder).result != "consistent"


def test_a_reader_that_loses_or_turns_a_game_of_a_list_is_found(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sound = outcomes.read_games

    def lossy(path: Path, today: Any) -> GamesToRate:
        reading = sound(path, today)
        return dataclasses.replace(reading, games=reading.games[1:])

    def wrong(path: Path, today: Any) -> GamesToRate:
        reading = sound(path, today)
        turned = 1 - reading.games["first_score"]
        return dataclasses.replace(reading, games=reading.games.assign(first_score=turned))

    monkeypatch.setattr(outcomes, "read_games", lossy)
    assert outcome("club", LIST, [LIST], folder).lost == 1
    monkeypatch.setattr(outcomes, "read_games", wrong)
    assert outcome("club", LIST, [LIST], folder) == Outcome("misread", "results")


@pytest.mark.slow
def test_attacks_repeat_and_change_what_they_say(
    project: Path, shared: Path, tmp_path: Path
) -> None:
    (tmp_path / "a.mat").write_bytes(SOUND)
    (tmp_path / "b.mat").write_bytes(OTHER.encode())
    (tmp_path / "c.mat").write_bytes(GNUBG.encode())
    shutil.copy(next((project / "examples").glob("2025-03-16*.mat")), tmp_path / "d.mat")
    shutil.copy(next((shared / "xg").glob("charlot1*.xg")), tmp_path / "a.xg")
    for kind, changes in CHANGES.items():
        held = outcomes.sources(kind, tmp_path, 7)
        attacks = run.plan(kind, sorted(held), 50, 7)
        assert attacks == run.plan(kind, sorted(held), 50, 7)
        assert {one.change for one in attacks} == set(changes)
        for one in attacks:
            data, made_of = run.changed(one, held)
            assert data == run.changed(one, held)[0]
            assert made_of[0] == held[one.file]
            assert len(made_of) == 1 + (one.change == "spliced")
            if one.change == "digit":
                assert sum(a != b for a, b in zip(data, made_of[0], strict=True)) == 1


def test_outcomes_of_command_lines(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def judged(words: str, **names: str) -> str:
        line = {"words": words.split(), "names": {"matches": "matches", "out": "out"} | names}
        return outcome("settings", json.dumps(line).encode(), [], folder).result

    rated = "rate @matches --no-luck --results @out --offset 1900"
    assert judged("calc --length 7 --pr 6") == judged(rated, matches="ä {x} 'y'") == "consistent"
    for words in (f"{rated} --name ../x", "rate --no-such", "rate nothing"):
        assert judged(words) == "refused"

    def writes(words: list[str]) -> None:
        Path("elsewhere").touch()
        raise SystemExit(0)

    def prints(words: list[str]) -> None:
        print("\x1b[2J")
        raise SystemExit(0)

    def falls(words: list[str]) -> None:
        raise KeyError(words[0])

    for command, result in ((writes, "misread"), (prints, "misread"), (falls, "fallen")):
        monkeypatch.setattr(settings, "main", command)
        assert judged("calc --length 7 --pr 6") == result
    monkeypatch.undo()
    whole = levels.analysis("0-ply")
    monkeypatch.setattr(levels, "analysis", lambda _: whole)
    assert judged(rated) == "misread"  # --no-luck was not taken


@pytest.mark.slow
def test_outcomes_of_sessions(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = outcomes.sources("serve", folder, 1)["again"]

    def judged(**changed: str) -> str:
        data = json.dumps(json.loads(session) | changed).encode()
        return outcome("serve", data, [session], folder).result

    assert outcome("serve", session, [session], folder).result == "same"
    assert judged(name="c.mat") == "consistent"
    assert judged(request="") == judged(name="c.pdf") == judged(stray="other.csv") == "refused"
    for attribute, broken in (
        ("state", lambda _: [{}["x"]]),
        ("work", lambda _, *, lists: asyncio.sleep(0)),
    ):
        monkeypatch.setattr(serving, "LONGEST", 5.0)
        monkeypatch.setattr(Queue, attribute, broken)
        assert judged() == "fallen"
        monkeypatch.undo()


def test_a_changed_formula_that_is_accepted_differs_in_figures(folder: Path) -> None:
    for sound in outcomes.sources("formula", folder, 1).values():
        content = json.loads(sound) | {"tau_interval": [0.0, 0.25]}
        changed = json.dumps(content).encode()
        assert outcome("formula", sound, [sound], folder) == Outcome("same")
        assert outcome("formula", changed, [sound], folder) == Outcome("consistent", "figures")
        content["interval"] = {term: [-1.0, 1.0] for term in content["terms"]}
        wrong = json.dumps(content).encode()
        assert outcome("formula", wrong, [sound], folder) == Outcome("refused")


def test_copies_that_count_wrongly_are_found(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sound = max(outcomes.sources("relations", folder, 1).values(), key=len)
    longer = sound.replace(b" 5 point match", b" 7 point match")

    def judged(data: bytes) -> Outcome:
        return outcome("relations", data, [sound], folder)

    assert judged(sound) == Outcome("same")
    assert judged(longer) == Outcome("flagged")
    assert judged(b"1") == Outcome("refused")
    monkeypatch.setattr(copies, "rank", lambda read, file, *_: file)
    assert judged(longer).differs.startswith("the names of files decide")
    monkeypatch.undo()
    monkeypatch.setattr(accounts, "disagreements", lambda _: iter(()))
    assert judged(longer) == Outcome("misread", "what counts does not name the copy that differs")
    monkeypatch.setattr(accounts, "as_copy", lambda *_: "a copy")
    assert judged(longer) == Outcome("misread", "the copy names no other file")
    monkeypatch.setattr(copies, "_are_alike", lambda *_: False)
    other_die = CHANGES["relations"]["die"](sound, b"", random.Random(1))
    assert judged(other_die) == Outcome("misread", "both count without a word")


@pytest.mark.nightly
@pytest.mark.parametrize("how", CHANGES["state"])
def test_a_change_of_results_or_store_changes_no_figure_and_no_file_of_others(
    folder: Path, how: str
) -> None:
    """The next run mends it or refuses, and says so."""
    rng, held = random.Random(how), outcomes.sources("state", folder, 1)
    ends = ("store", "games/report.html", "games/matches", "/players.csv", "/league.csv")
    ends += ("/rate.provenance.json",)
    for name in (name for name in held if name.endswith(ends)):
        data = CHANGES["state"][how](held[name], b"", rng)
        found = outcome("state", data, [], folder)
        assert found.result in {"same", "flagged", "refused"}, (data, found)


@pytest.mark.slow
def test_a_run_that_loses_what_somebody_wrote_is_found(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    attack = b'{"file": "human/games/players.csv", "how": "theirs", "other": false}'
    assert outcome("state", attack, [], folder) == Outcome("flagged")
    monkeypatch.setattr(results_folder, "set_aside", lambda path, _: path)
    assert outcome("state", attack, [], folder) == Outcome("misread", "what somebody wrote is lost")
    monkeypatch.setattr(results_folder, "_state", lambda *_: "ours")
    attack = attack.replace(b"theirs", b"pipe")
    changed = outcome("state", attack, [], folder)
    assert changed == Outcome("misread", "a file of somebody was changed")


def test_an_archive_taken_apart_and_put_together_is_the_same(shared: Path, folder: Path) -> None:
    data = next((shared / "xg").glob("charlot1*.xg")).read_bytes()
    archive = Archive.of(data)
    assert Archive.of(archive.with_games(archive.games)) == archive
    assert outcome("xg", archive.with_games(archive.games), [data], folder) == Outcome("same")
    for name in ("bits_inside", "field_inside", "records_inside"):
        assert CHANGES["xg"][name](data, data, random.Random(1)) != data


def test_a_file_that_is_changed_elsewhere_is_found(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    before = run.state(tmp_path)
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "a.pyc").write_text("1")
    assert run.state(tmp_path) == before
    (tmp_path / "a").write_text("12")
    assert len(run.state(tmp_path) ^ before) == 2


@pytest.mark.nightly
def test_the_table_adds_up(tmp_path: Path, shared: Path) -> None:
    games, table = tmp_path / "games", tmp_path / "out" / "attacks.csv"
    for folder in (games, table.parent):
        folder.mkdir()
    for number, text in enumerate((UNLIMITED, OTHER, GNUBG)):
        (games / f"{number}.mat").write_text(text)
    for path in sorted((Path(__file__).parents[2] / "examples").glob("*.mat")):
        shutil.copy(path, games)
    with pytest.raises(BgratingError, match="no file of kind xg"):
        run.run(games, 620, 1, 1, table)
    (games / "a.xg").write_bytes(next((shared / "xg").glob("charlot1*.xg")).read_bytes())
    made = run.run(games, 620, 1, 2, table, project=games)
    written = pd.read_csv(table)
    assert written["tried"].sum() == 620
    assert (written[list(OUTCOMES)].sum(axis=1) == written["tried"]).all()
    told = written[[f"changed_{name}" for name in DIFFERENCES]].sum(axis=1)
    assert (told == written["consistent"] + written["misread"]).all()
    rows = written[["kind", "change"]].itertuples(index=False, name=None)
    assert [*rows] == [(kind, change) for kind, changes in CHANGES.items() for change in changes]
    assert json.loads(Path(f"{table}.provenance.json").read_text())["bad"] == []
    assert written["peak_mb"].gt(0).all()
    assert run.is_well(made)
    assert f"| **all** | | **{written['tried'].sum()}** |" in run.as_markdown(made)
    for column, value in (("misread", 1), ("lost_rows", 1), ("files_outside", 1), ("peak_mb", 401)):
        assert not run.is_well(made.assign(**{column: value}))
