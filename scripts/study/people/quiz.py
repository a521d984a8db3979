"""Boards of quizzes judged at 4-ply: by how much their loss differs from the one that pages show (`./run quiz`)."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path, PurePath
from typing import Any

import click
import pandas as pd

from bgrating.analysis.analyst import WORKER
from bgrating.analysis.second_look import DEEP, NAME, QUIZ, STABLE
from bgrating.collection.readings import read_data
from bgrating.command import PATH
from bgrating.engine import levels
from bgrating.engine.locate import Engine, find_engine
from bgrating.engine.nets import committed_results
from bgrating.engine.pool import Pool, Task
from bgrating.files.listing import Reader, list_paths, with_members
from bgrating.pages.positions import ASKED, COSTLY
from bgrating.tables.tables import read_table, write_table

DEEPER, SEED = "4-ply", 42
BOARD = ["file", "match", "game", "ply", "kind"]
Loss = Callable[[Any, list[Any]], float | None]


def drawn(decisions: pd.DataFrame, seed: int = SEED) -> pd.DataFrame:
    """Return the errors by the first judge that quizzes have judged again, in random order."""
    errors = decisions[decisions["loss_emg"] >= COSTLY].sort_values("loss_emg", ascending=False, kind="stable")
    return errors.groupby("player", sort=False).head(QUIZ).sort_values(BOARD).sample(frac=1.0, random_state=seed)


@contextmanager
def judge(engine: Engine, level: str) -> Iterator[Loss]:
    """Lend a function that returns the loss of a decision of a content at a level; None where nothing judges it."""
    with closing(Pool(engine, levels.analysis(f"{level}{levels.NO_LUCK}"), 1, WORKER)) as pool:

        def loss(content: Any, place: list[Any]) -> float | None:
            pool.submit(Task("", content["rolls"], json.dumps({**content, "check": [place]}).encode()))
            ((_, answer),) = pool.answers(wait=True)
            return next((row["loss_emg"] for row in answer.get("checked", ())), None)

        yield loss


@click.command()
@click.option("--decisions", required=True, type=PATH, help="table of `rate` of the same paths")
@click.option("--boards", default=100, show_default=True, help="how many")
@click.option("--seed", default=SEED, show_default=True, help="of the draw; boards of other seeds stay in the table")
@click.argument("paths", nargs=-1, required=True, type=PATH)
def command(decisions: Path, boards: int, seed: int, paths: tuple[Path, ...]) -> None:
    """Judge random boards of quizzes at 4-ply. A run that is stopped goes on where it was."""
    engine = find_engine()
    folder = committed_results(engine.known.nets) / "people-depth"
    done, found = folder / "quiz.unfinished.jsonl", list[Any]()
    known = {}
    if done.is_file():
        known = {tuple(line[:5]): line[5:] for line in map(json.loads, done.read_text().splitlines())}
    files = {file.name: file for file in with_members(list_paths(paths, folder))}
    table = drawn(pd.read_parquet(decisions, columns=[*BOARD, "player", "loss_emg"]), seed)
    with ExitStack() as stack:
        shallow, deep, deeper = (stack.enter_context(judge(engine, level)) for level in (NAME, DEEP, DEEPER))
        reader = stack.enter_context(closing(Reader()))
        for *board, first in table[[*BOARD, "loss_emg"]].itertuples(index=False, name=None):
            if tuple(board) not in known:
                name, number, *place = board
                read, contents = read_data(reader.read(files[name]), PurePath(name).suffix.lower())
                content = contents[read["matches"][number - 1]["key"]]
                second = shallow(content, place) or 0.0
                shown = (deep(content, place) if second >= ASKED else None) or 0.0
                is_board = shown >= ASKED and abs(shown - second) <= STABLE
                known[tuple(board)] = [first, second, shown, deeper(content, place) if is_board else None]
                with done.open("a") as out:
                    out.write(json.dumps([*board, *known[tuple(board)]]) + "\n")
            if known[tuple(board)][-1] is not None:
                found.append([seed, board[-1], *known[tuple(board)]])
                print(*found[-1], flush=True)
            if len(found) == boards:
                break
    columns = ["seed", "kind", "first_loss_emg", "second_loss_emg", "shown_loss_emg", "deep_loss_emg"]
    path = folder / "quiz.csv"
    others = read_table(path).query("seed != @seed") if path.is_file() else None
    result = pd.concat([others, pd.DataFrame(found, columns=columns)]).sort_values(columns, ignore_index=True)
    write_table(result, path, "people/quiz", nets=engine.known.nets, matches=len(files))
    done.unlink()
