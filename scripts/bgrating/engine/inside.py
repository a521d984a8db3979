"""Run inside gnubg: play or analyse matches and write down what gnubg says of them.

gnubg runs this file with its own Python, so it imports only the standard library and the module `gnubg`. It reads a job
(JSON) from the file named by BGRATING_JOB and writes JSON lines to the file named by BGRATING_ANSWER: first what the
engine is, then one line for each match, last a line that says the job is finished. It interprets nothing.

A job has `task` (`play` or `analyse`), `engine_version`, `match_equity_table`, `commands` (settings, in gnubg's words), `show` (commands whose
text is wanted) and `matches`; for `play` a match is {"file", "seed", "length"}, for `analyse` {"file", "format"}.
"""

import ctypes
import hashlib
import json
import os
import tempfile
import traceback

import gnubg

# Debian builds the two-sided bearoff database here when gnubg is installed; without it gnubg plays endings differently.
DATA_FOLDERS_BESIDE = ("/var/lib/gnubg",)
DATA_FILES = ("gnubg.wd", "gnubg.weights", "gnubg_os0.bd", "gnubg_os.bd", "gnubg_ts0.bd", "gnubg_ts.bd")


def captured(command):
    """Return the text that gnubg prints for a command."""
    flush = ctypes.CDLL(None).fflush
    flush(None)
    kept = os.dup(1)
    with tempfile.TemporaryFile() as text:
        os.dup2(text.fileno(), 1)
        try:
            gnubg.command(command)
            flush(None)
        finally:
            os.dup2(kept, 1)
            os.close(kept)
        text.seek(0)
        return text.read().decode("utf-8", "replace")


def data_folder(engine_text):
    """Return the folder of weights, databases and match-equity tables: the last line of `show engine`."""
    return engine_text.strip().splitlines()[-1].strip(" -")


def checksums(engine_text):
    """Return the sha256 of each weights file and database that gnubg may read."""
    found = {}
    for place in (data_folder(engine_text), *DATA_FOLDERS_BESIDE):
        for name in DATA_FILES:
            path = os.path.join(place, name)
            if os.path.isfile(path):
                with open(path, "rb") as data:
                    found[name] = hashlib.sha256(data.read()).hexdigest()
    return found


def play(match):
    """Play a match to its end and export it as .mat."""
    gnubg.command("set seed %d" % match["seed"])
    gnubg.command("new match %d" % match["length"])
    gnubg.command('export match mat "%s"' % match["file"])
    return {"file": match["file"], "exported": os.path.isfile(match["file"])}


def analyse(match):
    """Import and analyse a match; return its statistics, its games and its cube decisions."""
    # A missing file leaves the match before it in place, which would then be counted twice.
    if not os.path.isfile(match["file"]):
        return {"file": match["file"], "refused": "no such file"}
    said = captured('import %s "%s"' % (match["format"], match["file"]))
    if gnubg.match(analysis=0, boards=0) is None:
        return {"file": match["file"], "refused": said.strip()}
    gnubg.command("analyse match")
    found = gnubg.match(analysis=1, boards=0, statistics=1, verbose=1)
    answer = {
        "file": match["file"],
        "import_text": said,
        "info": found["match-info"],
        "statistics": found["stats"],
        "games": [game(one) for one in found["games"]],
    }
    if match.get("statistics_text"):
        answer["statistics_text"] = captured("show statistics match")
    return answer


def game(found):
    """Return a game's result, its number of rolls and, in their order, its cube actions and evaluated cube decisions."""
    decisions = []
    for row in found["game"]:
        analysis = row.get("analysis") or {}
        if row["action"] != "move" or "nd-cubeful-eq" in analysis:
            decisions.append(
                [row["player"], row["action"], analysis.get("nd-cubeful-eq"), analysis.get("dt-cubeful-eq")]
            )
    rolls = sum(1 for row in found["game"] if "dice" in row)
    return {"info": found["info"], "rolls": rolls, "decisions": decisions}


def main():
    """Do the job and write the answer, line by line."""
    with open(os.environ["BGRATING_JOB"]) as text:
        job = json.load(text)
    with open(os.environ["BGRATING_ANSWER"], "w") as answer:

        def say(line):
            answer.write(json.dumps(line) + "\n")
            answer.flush()

        try:
            version = captured("show version").split("\n", 1)[0].strip()
            engine = captured("show engine")
            say({"version": version, "engine": engine, "checksums": checksums(engine)})
            if job["engine_version"] not in version.split():
                return
            table = os.path.join(data_folder(engine), "met", job["match_equity_table"] + ".xml")
            if not os.path.isfile(table):
                raise FileNotFoundError(table)
            for command in ('set met "%s"' % table, *job["commands"]):
                gnubg.command(command)
            say({"shown": {command: captured(command) for command in job["show"]}})
            task = {"play": play, "analyse": analyse}[job["task"]]
            lengths = set()
            for match in job["matches"]:
                line = task(match)
                length = line.get("info", {}).get("match-length", 0)
                if length and length not in lengths:
                    lengths.add(length)
                    say({"match_equity_table": {"length": length, "table": gnubg.met(length)}})
                say(line)
            say({"finished": len(job["matches"])})
        except Exception:  # gnubg would swallow it and end with exit code 0
            say({"error": traceback.format_exc()})


main()
