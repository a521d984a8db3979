"""The queue of `serve` with a command in place of `rate`: nothing waits for ever."""

import asyncio
import io
import os
import shutil
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import IO

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from bgrating.collection.uploads import Upload
from bgrating.serve import jobs
from bgrating.serve.jobs import Collection, Queue
from bgrating.settings_files import SettingsError
from corpus import cases

STUB = Path(__file__).parents[3] / "data" / "rates.sh"
CONTENTS = ("sound", "fail", "flood", "die", "hang", "deaf")
ENDLESS = ("hang", "deaf")
ENDED = {"rated", "failed", "stopped", "empty"}


@pytest.fixture(name="made")
def _made(tmp_path: Path) -> Iterator["Made"]:
    made = Made(tmp_path)
    yield made
    made.close()


class Made:
    """A queue on a folder, whose loop runs only while something is waited for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.loop, self.drops = asyncio.new_event_loop(), asyncio.new_event_loop()
        self.stub = folder / "stub"
        shutil.copy(STUB, self.stub)
        self.stub.chmod(0o755)
        self.watched = folder / "watched"
        self.watched.mkdir(exist_ok=True)
        self.endless: set[str] = set()  # collections that had a file of which a rating never ends
        self.begin()

    def begin(self) -> None:
        async def start() -> list[asyncio.Task[None]]:
            return [asyncio.create_task(self.queue.work(lists=lists)) for lists in (False, True)]

        self.queue = Queue(self.folder / "results", self.watched, ["/bin/sh", str(self.stub)])
        self.tasks = self.loop.run_until_complete(start())

    def stop(self) -> None:
        """End the workers, as a server that is killed, and the processes that they leave."""

        async def gone() -> None:
            for task in self.tasks:
                task.cancel()
            await asyncio.gather(*self.tasks, return_exceptions=True)
            for one in self.queue.collections.values():
                if one.process:
                    with suppress(ProcessLookupError):
                        one.process.kill()
                    await one.process.wait()

        self.loop.run_until_complete(gone())

    def close(self) -> None:
        self.stop()
        for loop in (self.loop, self.drops):
            loop.run_until_complete(loop.shutdown_default_executor())
            loop.close()

    def drop(
        self, name: str, content: str, suffix: str = ".mat", *, joins: bool = False
    ) -> list[str]:
        files = [(f"{name}{suffix}", io.BytesIO(content.encode()))]
        return self.keep(name, files, joins=joins)

    def keep(self, name: str, files: Sequence[tuple[str, IO[bytes]]], *, joins: bool) -> list[str]:
        """Keep files while nothing else is done."""
        return self.drops.run_until_complete(self.queue.keep(name, "0-ply", files, joins=joins))[1]

    def until(self, is_true: Callable[[], bool]) -> None:
        """Let the queue work until something is true, ten minutes at most."""

        async def wait() -> None:
            while not is_true():
                assert not any(task.done() for task in self.tasks), "a worker has ended"
                await asyncio.sleep(0.002)

        self.loop.run_until_complete(asyncio.wait_for(wait(), 600))

    def folder_of(self, name: str) -> Path:
        return self.watched if name == "watched" else self.queue.uploads / name

    def stop_rating(self, name: str) -> None:
        async def stop() -> None:
            self.queue.stop(name)

        self.loop.run_until_complete(stop())

    def at_work(self, name: str) -> None:
        self.until(lambda: self.queue.collections[name].process is not None)

    def settle(self) -> dict[str, Collection]:
        """Stop what never ends by itself, and wait until nothing waits or runs."""
        self.until(self._none_is_left)
        assert all(one.state in ENDED for one in self.queue.collections.values())
        assert all(one.message for one in self.queue.collections.values() if one.state == "failed")
        assert self.queue.state()
        return self.queue.collections

    def _none_is_left(self) -> bool:
        left = [
            one for one in self.queue.collections.values() if one.state in {"waiting", "running"}
        ]
        for one in left:
            texts = [
                path.read_text()
                for path in (self.queue.uploads / one.name).glob("*")
                if path.is_file()
            ]
            is_endless = one.name in self.endless or any(
                word in text for text in texts for word in ENDLESS
            )
            if one.process and not one.stopped and is_endless:
                self.queue.stop(one.name)
        return not left


@pytest.fixture(autouse=True)
def _brief(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "PATIENCE", 0.2)


@pytest.mark.parametrize(("content", "state", "told"), cases("sentences.ratings_that_end"))
@pytest.mark.parametrize("suffix", [".mat", ".csv"])
def test_every_end_is_a_state_with_a_reason_and_the_next_is_rated(
    made: Made, content: str, state: str, told: str, suffix: str
) -> None:
    made.drop("first", content, suffix)
    made.drop("second", "sound", suffix)
    found = made.settle()
    assert (found["first"].state, found["first"].message if told else "") == (state, told)
    assert found["second"].state == "rated"


@pytest.mark.parametrize(
    "stray", ["~$list.xlsx", ".hidden", "notes.md", "other.csv", "folder.csv/"]
)
def test_a_stray_file_beside_a_list_stops_nothing(made: Made, stray: str) -> None:
    made.drop("club", "sound", ".csv")
    path = made.queue.uploads / "club" / stray
    path.mkdir() if stray.endswith("/") else path.write_text("mine")
    assert made.drop("second", "sound", ".csv") == ["second"]
    found = made.settle()
    assert found["second"].state == "rated"
    if stray.rstrip("/").endswith(".csv"):
        assert found["club"].state == "failed"
        assert "has 2 lists: leave one there" in found["club"].message
    else:
        assert found["club"].state == "rated"
    assert path.exists()


def test_a_folder_of_uploads_that_is_gone_is_a_failure(made: Made) -> None:
    made.drop("club", "sound", ".csv")
    made.drop("matches", "sound")
    shutil.rmtree(made.queue.uploads)
    found = made.settle()
    assert (found["club"].state, found["matches"].state) == ("failed", "failed")


def test_a_command_that_cannot_be_started_is_a_failure(made: Made) -> None:
    made.queue._command = [str(made.folder / "absent")]
    made.drop("matches", "sound")
    assert "absent" in made.settle()["matches"].message


def test_a_rating_that_is_requested_while_a_process_ends_follows_it(made: Made) -> None:
    made.drop("matches", "deaf")
    made.at_work("matches")
    made.stop_rating("matches")
    with pytest.raises(SettingsError, match="it stays"):
        made.queue.remove("matches")
    (made.queue.uploads / "matches/matches.mat").write_text("sound")
    made.queue.add(Collection("matches"))
    assert made.settle()["matches"].state == "rated"


def test_an_empty_watched_folder_is_an_invitation(made: Made) -> None:
    found = made.settle()["watched"]
    assert (found.state, "has no match files yet" in found.message) == ("empty", True)
    (made.watched / "a.mat").write_text("sound")
    made.queue.add(Collection("watched", watched=made.watched))
    assert made.settle()["watched"].state == "rated"


def test_a_drop_is_a_new_collection_unless_it_joins_one(made: Made) -> None:
    assert made.drop("matches", "sound") == ["matches"]
    assert made.drop("matches", "sound") == ["matches-2"]
    assert made.drop("matches", "sound", joins=True) == ["matches"]
    assert made.drop("club", "sound", ".csv") == ["club"]
    assert made.drop("club", "other", ".csv") == ["club-2"]
    assert made.drop("club", "newer", ".csv", joins=True) == ["club"]
    assert made.drop("watched", "sound") == ["watched-2"]
    counts = {
        path.name: len([*path.iterdir()]) for path in made.queue.uploads.iterdir() if path.is_dir()
    }
    assert counts == {"matches": 2, "matches-2": 1, "club": 1, "club-2": 1, "watched-2": 1}
    (before,) = (made.queue.results / "removed").rglob("*.csv")
    assert before.read_text() == "sound"
    suffixes = {"absent": ".mat", "watched": ".mat", "club": ".mat", "matches": ".csv"}
    for name, suffix in suffixes.items():
        with pytest.raises(SettingsError, match="cannot join"):
            made.drop(name, "sound", suffix, joins=True)
    assert [one["name"] for one in made.queue.state()][:3] == ["watched-2", "club", "club-2"]
    assert {one.state for one in made.settle().values()} == {"rated", "empty"}


@pytest.mark.parametrize("suffix", [".mat", ".csv"])
def test_two_drops_at_once_keep_every_file(
    made: Made, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    """The second one joins the collection while the first one is written to the disk."""
    made.drop("both", "old", suffix)
    store = jobs.all_stored

    def slow(folder: Path, uploads: Sequence[Upload]) -> list[Path]:
        paths = store(folder, uploads)
        monkeypatch.setattr(jobs, "all_stored", store)
        second = [(f"both{suffix}", io.BytesIO(b"second"))]
        joining = made.queue.keep("both", "0-ply", second, joins=True)
        asyncio.run_coroutine_threadsafe(joining, made.drops).result()
        return paths

    monkeypatch.setattr(jobs, "all_stored", slow)
    made.drop("both", "first", suffix, joins=True)
    texts = sorted(path.read_text() for path in made.queue.results.rglob(f"*{suffix}"))
    assert texts == ["first", "old", "second"]
    if suffix == ".csv":
        assert len([*(made.queue.uploads / "both").iterdir()]) == 1


def test_a_collection_that_is_removed_while_a_file_comes_gets_no_file(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    made.drop("matches", "sound")
    made.settle()
    store = jobs.all_stored

    def slow(folder: Path, uploads: Sequence[Upload]) -> list[Path]:
        made.queue.remove("matches")
        return store(folder, uploads)

    monkeypatch.setattr(jobs, "all_stored", slow)
    with pytest.raises(SettingsError, match="cannot join"):
        made.drop("matches", "sound", joins=True)
    assert list(made.queue.uploads.iterdir()) == []
    assert "matches" not in made.queue.collections


def test_a_file_that_came_during_a_rating_is_rated_by_the_next_server(made: Made) -> None:
    """A kill between the two ratings left it unrated: it is older than the first one's results."""
    goes_on = made.folder / "goes_on"
    wait = f"while [ ! -e '{goes_on}' ]; do sleep 0.01; done\n"
    made.stub.write_text(f"{wait}{STUB.read_text()}")
    made.drop("matches", "sound")
    made.at_work("matches")
    made.drop("matches", "sound", joins=True)
    assert made.drop("others", "hang") == ["others"]
    goes_on.touch()
    made.at_work("others")
    assert made.queue.page_of(made.queue.collections["matches"])
    made.stop()
    assert Queue(made.queue.results, None).collections["matches"].state == "waiting"


@pytest.mark.parametrize("is_reversed", [False, True])
def test_collections_of_one_moment_have_the_same_order_in_every_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_reversed: bool
) -> None:
    folders = [tmp_path / "uploads" / name for name in "abc"]
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / "a.mat").touch()
        os.utime(folder, (1000, 1000))
    os.utime(folders[0], (1001, 1001))
    listed = sorted(folders, reverse=is_reversed)
    monkeypatch.setattr(Path, "glob", lambda *_: iter(listed))
    assert list(Queue(tmp_path, None).collections) == ["b", "c", "a"]


@pytest.mark.parametrize("suffix", [".mat", ".csv"])
@pytest.mark.parametrize("letter", ["x", "é", "漢", "\U0001f3b2"])
def test_a_long_name_is_shortened(made: Made, letter: str, suffix: str) -> None:
    (name,) = made.keep("a", [(letter * 300 + suffix, io.BytesIO(b"sound"))], joins=False)
    (kept,) = (made.queue.uploads / name).iterdir()
    assert len(kept.name.encode()) < 160
    assert len(name) <= 100
    with pytest.raises(SettingsError, match="choose one of at most 100"):
        made.keep("x" * 256, [], joins=False)


def test_a_full_disk_keeps_nothing(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    made.drop("matches", "sound")
    monkeypatch.setattr(
        shutil, "copyfileobj", lambda *_: (_ for _ in ()).throw(OSError(28, "full"))
    )
    for joins in (False, True):
        with pytest.raises(OSError, match="full"):
            made.drop("matches", "sound", joins=joins)
    assert [path.name for path in made.queue.uploads.iterdir()] == ["matches"]
    assert len([*(made.queue.uploads / "matches").iterdir()]) == 1


@pytest.mark.parametrize(("address", "is_opened"), cases("values.addresses"))
def test_the_browser_opens_pages_of_the_results_alone(
    tmp_path: Path, address: str, is_opened: bool
) -> None:
    results = tmp_path / "results"
    for name in ("secret.html", "results/index.html", "results/human/report.html"):
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).touch()
    (results / "uploads").mkdir()
    (results / "uploads" / "a.html").touch()
    (results / "human" / "link.html").symlink_to(tmp_path / "secret.html")
    assert (Queue(results, None).file_at(address) is not None) == is_opened


def test_reasons_of_rejected_files_are_reported(made: Made) -> None:
    made.drop("matches", "sound")
    made.settle()
    table = made.queue.results / "human/matches/files.csv"
    table.write_text(
        "file,status,reason\na.mat,analysed,\nb.mat,rejected,not understood: 'Game 1:'\n"
    )
    (one,) = (one for one in made.queue.state() if one["name"] == "matches")
    assert [row["reason"] for row in one["rejected"]] == ["not understood: 'Game 1:'"]


def test_the_owner_of_a_collection_stands_before_the_best(made: Made) -> None:
    made.drop("matches", "owned")
    made.settle()
    (one,) = (one for one in made.queue.state() if one["name"] == "matches")
    assert one["reader"] == "p25"
    names = [row["player"] for row in one["players"]]
    assert names == ["p25", *(f"p{number}" for number in range(1, jobs.SHOWN))]


def test_every_question_is_answered_while_one_answer_is_rated(made: Made) -> None:
    """Each click rates again; the questions that are left stay on the page meanwhile."""
    made.drop("matches", "sound")
    made.settle()
    table = made.queue.results / "human/matches/alias_suggestions.csv"
    table.write_text("alias,name,reason\nann,Ann,x\nbob,Bob,x\ncy,Cy,x\n")
    (made.queue.uploads / "matches/matches.mat").write_text("hang")

    def questions() -> list[str]:
        (one,) = (one for one in made.queue.state() if one["name"] == "matches")
        return [row["alias"] for row in one["aliases"]]

    made.queue.confirm("matches", "ann", "Ann")
    made.at_work("matches")
    assert questions() == ["bob", "cy"]
    for _ in range(2):
        made.queue.confirm("matches", "bob", "Bob")
    assert (questions(), made.queue.collections["matches"].again) == (["cy"], True)
    for alias, name in (("bob", "Cy"), ("dee", "Dee")):
        with pytest.raises(SettingsError, match="no longer suggested"):
            made.queue.confirm("matches", alias, name)
    aliases = (made.queue.uploads / ".matches.aliases.csv").read_text().splitlines()
    assert list(dict.fromkeys(aliases)) == ["alias,name", "ann,Ann", "bob,Bob"]
    made.settle()


NAMES = st.sampled_from(["a", "b", "club", "watched"])
STRAYS = st.sampled_from(["~$list.xlsx", ".x.part", "x.csv", "x.mat", "x.md"])


class Attacks(RuleBasedStateMachine):
    """Files are dropped, edited, lost; collections stopped, removed; processes killed."""

    @initialize()
    def begin(self) -> None:
        self.made = Made(Path(mkdtemp(prefix="bgrating-")))

    @rule(
        name=NAMES,
        content=st.sampled_from(CONTENTS),
        suffix=st.sampled_from([".mat", ".csv"]),
        joins=st.booleans(),
    )
    def drop(self, name: str, content: str, suffix: str, *, joins: bool) -> None:
        with suppress(SettingsError):
            names = self.made.drop(name, content, suffix, joins=joins)
            self.made.endless.update(names if content in ENDLESS else ())

    @rule(name=NAMES, stray=STRAYS, text=st.sampled_from(CONTENTS))
    def edit(self, name: str, stray: str, text: str) -> None:
        folder = self.made.folder_of(name)
        if folder.is_dir():
            (folder / stray).write_text("sound" if name == "watched" else text)
            self.made.endless.update({name} - {"watched"} if text in ENDLESS else ())

    @rule(name=NAMES)
    def lose(self, name: str) -> None:
        shutil.rmtree(self.made.folder_of(name), ignore_errors=True)

    @rule()
    def bring_back(self) -> None:
        self.made.watched.mkdir(exist_ok=True)

    @rule(name=NAMES, does=st.sampled_from(["stop", "remove", "again"]))
    def act(self, name: str, does: str) -> None:
        queue = self.made.queue
        known = queue.collections.get(name)
        if known and does == "again":
            queue.add(Collection(name, known.is_list, known.watched))
        elif known:
            with suppress(SettingsError):
                self.made.stop_rating(name) if does == "stop" else queue.remove(name)

    @rule(name=NAMES)
    def kill(self, name: str) -> None:
        one = self.made.queue.collections.get(name)
        if one and one.process and one.process.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(one.process.pid, signal.SIGKILL)

    @rule(turns=st.integers(1, 30))
    def work(self, turns: int) -> None:
        async def some() -> None:
            for _ in range(turns):
                await asyncio.sleep(0)

        self.made.loop.run_until_complete(some())

    @rule()
    def restart(self) -> None:
        self.made.stop()
        self.made.begin()

    @rule()
    def settle(self) -> None:
        self.made.settle()

    def teardown(self) -> None:
        if hasattr(self, "made"):
            self.made.settle()
            self.made.close()
            shutil.rmtree(self.made.folder)


Attacks.TestCase.settings = settings(max_examples=30, stateful_step_count=20, deadline=None)
TestAttacks = Attacks.TestCase


def test_tables_that_a_spreadsheet_wrote_otherwise_do_not_stop_the_page(made: Made) -> None:
    """The command asks the user to edit this table, and a spreadsheet may save it with `;`."""
    made.drop("matches", "sound")
    made.settle()
    for path in (
        made.queue.results / "human/matches/alias_suggestions.csv",
        made.queue.results / "human/matches/files.csv",
        made.queue.uploads / ".matches.aliases.csv",
    ):
        path.write_text("alias;name;status\nann;Ann;rejected\n")
    (one,) = (one for one in made.queue.state() if one["name"] == "matches")
    assert (one["aliases"], one["rejected"]) == ([], [])
    with pytest.raises(SettingsError, match="no longer suggested"):
        made.queue.confirm("matches", "ann", "Ann")
