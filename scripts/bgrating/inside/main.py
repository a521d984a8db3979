"""Answer requests inside an engine, lines of JSON on standard input, until there are no more.

A gnubg program or the embedded engine runs this file; engine/session.py starts and supervises it.
BGRATING_INSIDE is this file's path, BGRATING_PACKAGES the folder of the Python package `gnubg`.
Answers go to standard output, each a line of JSON behind MARK. What the engine prints goes to
standard error.

The first request sets the engine up. It has `match_equity_table`, `commands` of gnubg, and `show`:
commands whose output the answer repeats. For diluted players it has `diluted` (play.py), for one
side of a match `side` (side.py). Its answer describes the engine (`version`, `engine`, `checksums`,
`opening_evaluation`, `shown`). Each other request has a `task`:

- `play` a match: play.py
- `analyse` a match, `judge` some of its decisions: analyse.py
- `side`: decide for one side of a match that others play: side.py

Any answer may instead have one of

- `problem`: why the engine cannot read the match
- `machine`: what this machine lacked (room, memory)
- `failed`: the error of our code
"""

import gc
import json
import os
import sys
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path += [
    str(Path(os.environ["BGRATING_INSIDE"]).parents[2]),
    os.environ.get("BGRATING_PACKAGES", ""),
]
from bgmatch.records import Json
from bgrating.engine.protocol import MARK, memory_sentence
from bgrating.inside import analyse, engine, play, side


class Server:
    """Answers requests with the engine that runs this file."""

    def __init__(self) -> None:
        self._tasks: dict[str, Callable[[Json], Json]] = {
            "play": play.play,
            "analyse": analyse.analyse,
            "judge": analyse.judge,
        }

    def set_up(self, setup: Json) -> Json:
        """Set the engine up as the first request says, and return its description.

        Raises MachineError without room for the engine's files, UnknownTableError without the
        match-equity table.
        """
        engine.require_room()
        description = engine.identity()
        description["shown"] = engine.set_up(setup, description["engine"])
        description["opening_evaluation"] = engine.opening_evaluation()
        diluted = setup.get("diluted")
        if diluted:
            description["shown"]["show player, weak"] = play.show_weak(diluted)
            self._tasks["play"] = partial(play.play_diluted, diluted)
        if "side" in setup:
            self._tasks["side"] = side.Mirror(**setup["side"]).side
        return description

    def answer(self, request: Json) -> Json:
        """Return the answer to a request, also if our code fails."""
        try:
            task = self._tasks[request["task"]] if "task" in request else self.set_up
            return task(request)
        except engine.RefusedError as problem:
            return {"problem": f"the engine refused it: {str(problem) or 'no reason given'}"}
        except engine.MachineError as problem:
            return {"machine": str(problem)}
        except MemoryError:
            return {"machine": f"the engine ran out of memory; {memory_sentence()}".rstrip("; ")}
        except engine.UnknownTableError as problem:
            return {"failed": str(problem)}
        except Exception as problem:
            traceback.print_exc()
            return {"failed": f"{type(problem).__name__}: {problem}"}


def main() -> None:
    engine.bound()
    # There are few reference cycles, and looking for them takes a tenth of our time.
    gc.set_threshold(100_000)
    requests, answers = engine.streams()
    server = Server()
    for line in requests:
        answer = json.dumps(server.answer(json.loads(line)), separators=(",", ":"))
        answers.write(MARK + answer.encode() + b"\n")
        answers.flush()


if __name__ == "__main__":
    main()
