"""Boards of quizzes judged at 4-ply: by how much their loss differs from the one that pages show (`./run quiz`)."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path, PurePath
from typing import Any

import click
import pandas as pd

from bgrating.collection.analysis import WORKER
from bgrating.collection.listing import Reader, list_paths, with_members
from bgrating.collection.readings import read_data
from bgrating.collection.second_look import NAME, QUIZ
from bgrating.command import PATH
from bgrating.engine import levels
from bgrating.engine.locate import Engine, find_engine
from bgrating.engine.nets import committed_results
from bgrating.engine.pool import Pool, Task
from bgrating.pages.positions import ASKED, COSTLY
from bgrating.tables.tables import write_table

DEEP, SEED = "4-ply", 41
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
@click.argument("paths", nargs=-1, required=True, type=PATH)
def command(decisions: Path, boards: int, paths: tuple[Path, ...]) -> None:
    """Judge random boards of quizzes at 4-ply. A run that is stopped goes on where it was."""
    engine = find_engine()
    folder = committed_results(engine.known.nets) / "people-depth"
    done, found = folder / "quiz.unfinished.jsonl", list[Any]()
    known = {}
    if done.is_file():
        known = {tuple(line[:5]): line[5:] for line in map(json.loads, done.read_text().splitlines())}
    files = {file.name: file for file in with_members(list_paths(paths, folder))}
    table = drawn(pd.read_parquet(decisions, columns=[*BOARD, "player", "loss_emg"]))
    with judge(engine, NAME) as shown, judge(engine, DEEP) as deep, closing(Reader()) as reader:
        for *board, first in table[[*BOARD, "loss_emg"]].itertuples(index=False, name=None):
            if tuple(board) not in known:
                name, number, *place = board
                read, contents = read_data(reader.read(files[name]), PurePath(name).suffix.lower())
                content = contents[read["matches"][number - 1]["key"]]
                loss = shown(content, place)
                is_board = loss is not None and loss >= ASKED
                known[tuple(board)] = [first, loss, deep(content, place) if is_board else None]
                with done.open("a") as out:
                    out.write(json.dumps([*board, *known[tuple(board)]]) + "\n")
            if known[tuple(board)][2] is not None:
                found.append([board[-1], *known[tuple(board)]])
                print(*found[-1], flush=True)
            if len(found) == boards:
                break
    columns = ["kind", "first_loss_emg", "shown_loss_emg", "deep_loss_emg"]
    result = pd.DataFrame(found, columns=columns).sort_values(columns, ignore_index=True)
    write_table(result, folder / "quiz.csv", "people/quiz", nets=engine.known.nets, seed=SEED, matches=len(files))
    done.unlink()
