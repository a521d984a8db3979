"""What tables and pages need of an analysed match: rows of figures, and its decisions column by column.

Runs inside the engine's own Python (collection/worker.py), so that all cores do it: standard library only.
"""

from collections.abc import Mapping
from typing import Any

from bgrating.collection.import_check import differences, imported_key
from bgrating.decisions.rows import decisions
from bgrating.engine.cube_decisions import Table
from bgrating.engine.error_sizes import error_sizes
from bgrating.engine.statistics import match_rows
from bgrating.tables.csv_safety import escape_controls

Json = dict[str, Any]

NO_DATE = "1970-01-01"
"""What the engine takes for the date of a file without one: the time of the file, which worker.py sets."""


def digest(content: Mapping[str, Any], match: Json, table: Table | None) -> Json:
    """Return what is kept of a content (readings.py) that was analysed; `match` as engine/sgf.py reads it.

    `differs`: why it counts as none; or `rows`, two of them with the figures of left and right, `decisions`, lists by
    column, and of a content that only the engine reads what it found: `content` (the key that copies share), `date`.
    `table` is the match-equity table of the match's length, None for money.
    """
    expected = content["expected"]
    read_by_engine: Json = {}
    if expected is not None:
        if differ := escape_controls("; ".join(differences(expected, match["length"], match["games"]))):
            return {"differs": f"the engine read it differently: {differ}"}
    elif not any(row["kind"] == "move" for game in match["games"] for row in game["actions"]):
        return {"differs": "the engine found no match in it"}
    else:
        date = "" if match["date"] == NO_DATE else match["date"]
        read_by_engine = {"content": imported_key(match["games"]), "date": date}
    sizes = error_sizes(match, table)
    rows = []
    for row in match_rows(match, table):
        figures = {key: value for key, value in row.items() if key not in {"player", "opponent"}}
        # Names come from our own reading, unless only the engine has read them.
        name = escape_controls(row["player"]) if expected is None else ""
        rows.append({"name": name, **figures, **sizes[row["side"]]})
    decided = list(decisions(match, table))
    columns = {name: [row[name] for row in decided] for name in (decided[0] if decided else ())}
    return {**read_by_engine, "rows": rows, "decisions": columns}
