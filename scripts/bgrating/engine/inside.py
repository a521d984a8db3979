"""Run inside gnubg: play or analyse matches and write down gnubg's figures.

A gnubg program runs this file with its own Python, so it imports only the standard library, `gnubg`, reciprocal.py and
sgf.py. It reads a job (JSON) from the file named by BGRATING_JOB and writes JSON lines to the file named by
BGRATING_ANSWER. The first line describes the engine. Then comes one line for each match, and a last line ends the job.

A job has `task` (`play` or `analyse`), `engine_version`, `match_equity_table`, `commands` (settings in gnubg's words)
and `matches`. The output of the commands in `show` goes into the answer. For `play` a match is {"file", "seed",
"length"}. For `analyse` it is {"file"} of a .mat file. With `actions` the answer has every action, else cube actions
and evaluated cube decisions only.

A job of diluted players also has `diluted` by seat ("0", "1"). `share` is the weak level's share of the decisions;
`strong` and `weak` are the commands of both levels. Each match then has `coins`, by seat the seed of its coins.
"""

import ctypes
import hashlib
import json
import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import gnubg

sys.path.append(str(Path(os.environ["BGRATING_INSIDE"]).parents[2]))
from bgrating.engine import reciprocal, sgf

# Debian builds the two-sided bearoff database here when gnubg is installed; without it gnubg plays endings differently.
DATA_FOLDERS_BESIDE = (Path("/var/lib/gnubg"),)
# The opening position, as gnubg names positions.
OPENING = "4HPwATDgc/ABMA"
DATA_FILES = ("gnubg.wd", "gnubg.weights", "gnubg_os0.bd", "gnubg_os.bd", "gnubg_ts0.bd", "gnubg_ts.bd")

PR_SET_PDEATHSIG = 1  # of linux/prctl.h
MEMORY = 4 * 2**30
"""Bytes that an engine process may ask for, where the system can say so; it needs 150 MB."""
PLAYING = 1  # gnubg's word for a game that goes on
SAVED = "analysed.sgf"

Json = dict[str, Any]


class UnknownTableError(Exception):
    """The engine lacks a match-equity table; the message names it and those that there are."""


class RefusedError(Exception):
    """The engine does not read a match; the message is what it printed."""


def bound() -> None:
    """End with the process that started this one, even where that is killed, and bound the memory, where Linux can."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    import resource  # noqa: PLC0415 - only Linux has it

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def settle_processor() -> None:
    """Make the nets of a program answer alike on every processor, before the first evaluation; the module's do."""
    if not hasattr(gnubg, "__file__"):
        reciprocal.settle()


def captured(command: str) -> str:
    """Return the text that gnubg prints for a command, on standard output and standard error."""
    flush = ctypes.CDLL("ucrtbase" if os.name == "nt" else None).fflush
    flush(None)
    kept = [os.dup(stream) for stream in (1, 2)]
    with tempfile.TemporaryFile() as text:
        try:
            os.dup2(text.fileno(), 1)
            os.dup2(text.fileno(), 2)
            gnubg.command(command)
            flush(None)
        finally:
            for stream, copy in zip((1, 2), kept, strict=True):
                os.dup2(copy, stream)
                os.close(copy)
        text.seek(0)
        return text.read().decode("utf-8", "replace")


def run(commands: Iterable[str]) -> None:
    for command in commands:
        gnubg.command(command)


def data_folder(engine_text: str) -> Path:
    """Return the folder of weights, databases and match-equity tables: the last line of `show engine`."""
    return Path(engine_text.strip().splitlines()[-1].strip(" -"))


def match_equity_table(engine_text: str, name: str) -> Path:
    """Return the file of a match-equity table. Raises UnknownTableError: gnubg would use another and not complain."""
    table = data_folder(engine_text) / "met" / f"{name}.xml"
    if not table.is_file():
        there = ", ".join(sorted(path.stem for path in table.parent.glob("*.xml") if path.stem != "catalog"))
        raise UnknownTableError(f"this engine has no match-equity table {name}; it has {there}")
    return table


def checksums(engine_text: str) -> dict[str, str]:
    sums: dict[str, str] = {}
    for place in (data_folder(engine_text), *DATA_FOLDERS_BESIDE):
        for name in DATA_FILES:
            if name not in sums and (place / name).is_file():
                sums[name] = hashlib.sha256((place / name).read_bytes()).hexdigest()
    return sums


def identity() -> Json:
    """Return the engine's `version`, what it prints about itself (`engine`) and `checksums`, before it evaluates."""
    settle_processor()
    version, engine = captured("show version").split("\n", 1)[0].strip(), captured("show engine")
    return {"version": version, "engine": engine, "checksums": checksums(engine)}


def set_up(job: Json, engine_text: str) -> dict[str, str]:
    """Set a job's match-equity table and run its `commands`; return what those of `show` print."""
    table = match_equity_table(engine_text, job["match_equity_table"])
    run((f'set met "{table}"', *job["commands"]))
    return {command: captured(command) for command in job["show"]}


def asker(prints: str = os.devnull) -> tuple[int, int]:
    """Return standard input and output as they were; from now on the engine reads nothing, and prints to a file."""
    streams = os.dup(0), os.dup(1)
    written = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    for place, flags, stream in ((os.devnull, os.O_RDONLY, 0), (prints, written, 1)):
        handle = os.open(place, flags)
        os.dup2(handle, stream)
        os.close(handle)
    return streams


def opening_evaluation() -> list[float]:
    """Return the neural net's five chances in the opening position.

    They are in gnubg's order: a win, a gammon, a backgammon, a lost gammon, a lost backgammon. Their last digits tell
    one way to divide from another (reciprocal.py).
    """
    money_cube = gnubg.cubeinfo(1, -1, 0, 0, (0, 0), 0, 0)
    plain = {"cubeful": 0, "plies": 0, "deterministic": 0, "noise": 0.0}
    return list(gnubg.evaluate(gnubg.positionfromid(OPENING), money_cube, plain)[:5])


def play(match: Json) -> Json:
    export = f'export match mat "{match["file"]}"'
    run((f"set seed {match['seed']}", f"new match {match['length']}", export))
    return {"file": match["file"]}


def coin(seed: int, decision: int, share: float) -> bool:
    """Return whether a decision is the weak level's: a number of [0, 1) made of seed and place is below the share."""
    digest = hashlib.sha256(f"{seed}/{decision}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64 < share


def play_diluted(match: Json, diluted: Json) -> Json:
    """Play a match decision by decision, each of a diluted player's at the level that its coin gives.

    Both seats count as human, so gnubg waits. The side to decide becomes gnubg for one `play`. That answers a double or
    a resignation, resigns, doubles, or rolls and plays. A turn is one decision, or two if it begins with a double. The
    next game is begun here, since gnubg would go on by itself with the player who has just moved.
    """
    run(f"set automatic {step} off" for step in ("game", "roll", "bearoff", "move"))
    run(("set player 0 human", "set player 1 human", f"set seed {match['seed']}", f"new match {match['length']}"))
    weak: dict[str, str] = dict.fromkeys(diluted, "")
    level: dict[str, bool] = {}
    while is_playing():
        seat = str(gnubg.posinfo()["turn"])
        if seat in diluted:
            is_weak = coin(match["coins"][seat], len(weak[seat]), diluted[seat]["share"])
            weak[seat] += str(int(is_weak))
            if level.get(seat) != is_weak:
                run(diluted[seat]["weak" if is_weak else "strong"])
                level[seat] = is_weak
        where = (gnubg.matchid(), gnubg.positionid())
        run((f"set player {seat} gnubg", "play", f"set player {seat} human"))
        if (gnubg.matchid(), gnubg.positionid()) == where:
            raise RuntimeError(f"{match['file']}: gnubg does not play on from {where}")
    gnubg.command(f'export match mat "{match["file"]}"')
    return {"file": match["file"], "weak": weak}


def is_playing() -> bool:
    """Return whether the match goes on. If a game has ended, begin the next; gnubg refuses that after the last."""
    if gnubg.posinfo()["gamestate"] != PLAYING:
        gnubg.command("new game")
    return bool(gnubg.posinfo()["gamestate"] == PLAYING)


def show_weak(diluted: Json) -> str:
    run(command for player in diluted.values() for command in player["weak"])
    text = captured("show player")
    run(command for player in diluted.values() for command in player["strong"])
    return text


def analysed(load: str, after: Iterable[str] = ()) -> tuple[str, int]:
    """Load a match by a command and analyse it; return its SGF, empty where there was no room, and number of games.

    `after` are commands between the two. Raises RefusedError.
    """
    games = _load(load)
    run((*after, "analyse match"))
    return _saved(), games


def judged(load: str, decisions: Iterable[tuple[int, int, bool]]) -> tuple[str, int]:
    """Load a match and analyse only some of its decisions, as `analysed` does all.

    A decision is a game and an action in it, both from 1, and whether its cube action is judged, else its play. The
    answer to a double is judged with the double. Raises RefusedError.
    """
    games = _load(load)
    at = 1
    # Without a cache of evaluations, which would change last digits by what was judged before.
    gnubg.command("first game")
    for game, action, is_cube in sorted(decisions):
        if game > at:
            gnubg.command(f"next game {game - at}")
            at = game
        switches = f"set analysis moves {'off' if is_cube else 'on'}", f"set analysis cube {'on' if is_cube else 'off'}"
        run(("first move", *([f"next {action - 1}"] if action > 1 else []), *switches, "analyse move"))
    return _saved(), games


def _load(command: str) -> int:
    """Load a match; return its number of games. Raises RefusedError."""
    printed = captured(command)
    if (match := gnubg.match(analysis=0, boards=0)) is None:
        raise RefusedError(printed.strip())
    return len(match["games"])


def _saved() -> str:
    gnubg.command(f'save match "{SAVED}"')
    saved = Path(SAVED)
    text = saved.read_text(encoding="utf-8", errors="replace") if saved.is_file() else ""
    saved.unlink(missing_ok=True)
    return text


def analyse(match: Json) -> Json:
    """Import and analyse a match; return its figures, games and cube decisions as sgf.py reads them."""
    # A missing file leaves the match before it in place, which would then be counted twice.
    if not Path(match["file"]).is_file():
        return {"file": match["file"], "refused": "no such file"}
    try:
        text = analysed(f'import mat "{match["file"]}"')[0]
        found = sgf.match(text if match.get("actions") else sgf.PLAYS.sub("", text))
    except RefusedError as problem:
        return {"file": match["file"], "refused": str(problem)}
    if not match.get("actions"):
        for game in found["games"]:
            game["actions"] = [
                {key: action[key] for key in ("kind", "seat", "no_double", "double_take") if key in action}
                for action in game["actions"]
                if action["kind"] in {"double", "take", "drop"} or "no_double" in action
            ]
            del game["figures"]
    return {"file": match["file"], **found}


def main() -> None:
    """Do the job and write the answer, line by line."""
    bound()
    job = json.loads(Path(os.environ["BGRATING_JOB"]).read_text(encoding="utf-8"))
    with Path(os.environ["BGRATING_ANSWER"]).open("w", encoding="utf-8") as answer:

        def say(line: Json) -> None:
            answer.write(json.dumps(line) + "\n")
            answer.flush()

        try:
            about = identity()
            say({**about, "opening_evaluation": opening_evaluation()})
            if not f"{about['version']} ".startswith(f"{job['engine_version']} "):
                return
            shown = set_up(job, about["engine"])
            task = {"play": play, "analyse": analyse}[job["task"]]
            if diluted := job.get("diluted"):
                shown["show player, weak"] = show_weak(diluted)
                task = partial(play_diluted, diluted=diluted)
            say({"shown": shown})
            lengths = set()
            for match in job["matches"]:
                line = task(match)
                length = line.get("length", 0)
                if length and length not in lengths:
                    lengths.add(length)
                    say({"match_equity_table": {"length": length, "table": gnubg.met(length)}})
                say(line)
            say({"finished": len(job["matches"])})
        except UnknownTableError as problem:
            say({"error": str(problem)})
        except Exception:  # gnubg would swallow it and end with exit code 0
            say({"error": traceback.format_exc()})


if __name__ == "__main__":
    main()
