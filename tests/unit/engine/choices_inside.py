"""Run inside gnubg: say of every action of a match whose it is and what gnubg thinks the chosen move loses.

Reads a job as inside.py does, and writes one line for each game: whether it ended by resignation, and its actions.
"""

import json
import os
from pathlib import Path

import gnubg

job = json.loads(Path(os.environ["BGRATING_JOB"]).read_text(encoding="utf-8"))
with Path(os.environ["BGRATING_ANSWER"]).open("w", encoding="utf-8") as answer:
    for command in job["commands"]:
        gnubg.command(command)
    for match in job["matches"]:
        gnubg.command(f'import mat "{match["file"]}"')
        gnubg.command("analyse match")
        for game in gnubg.match(analysis=1, boards=0, statistics=0, verbose=1)["games"]:
            actions = []
            for row in game["game"]:
                judged = row.get("analysis") or {}
                scores = [move["score"] for move in judged.get("moves") or ()]
                loss = scores[0] - scores[judged["imove"]] if len(scores) > 1 else None
                actions.append({"seat": row.get("player"), "action": row["action"], "loss": loss})
            line = {"file": match["file"], "resigned": bool(game["info"]["resigned"]), "actions": actions}
            answer.write(json.dumps(line) + "\n")
