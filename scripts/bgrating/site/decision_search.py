"""Find decisions in the collections below a folder of results."""

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from bgmatch.position import xgid_pattern
from bgmatch.records import Json
from bgrating.decisions.decision_table import with_second_look
from bgrating.decisions.thresholds import COSTLY
from bgrating.people.plans import chequers, plans
from bgrating.settings_files import SettingsError
from bgrating.site.addresses import match_pages
from bgrating.tables.table_files import read_settled

FIELDS = {
    "player": r".+",
    "plan": r".+",
    "kind": r"play|double|take|pass",
    "dice": r"[1-6]{2}",
    "cube": r"\d{1,4}",
    "away": r"\d{1,3}-\d{1,3}",
    "pips": r"\d{1,3}-\d{1,3}",
    "loss": r"\d?[.]?\d{1,3}",
    "position": r"\S+",
}
"""What decisions may have in common, and how it is written: `find` explains it."""
_SHOWN = ["player", "opponent", "kind", "dice", "played", "best", "loss_emg", "xgid"]


def find(results: Path, criteria: Mapping[str, str], most: int) -> list[Json]:
    """Return the costliest decisions of all collections with the wanted FIELDS, `most` at most.

    Each has its collection and the address of its page. Raises SettingsError for a field that is
    unknown or written otherwise.
    """
    for name, text in criteria.items():
        if name not in FIELDS:
            raise SettingsError(f"there is no field {name!r}: choose of {', '.join(FIELDS)}")
        if not re.fullmatch(FIELDS[name], text, re.ASCII):
            raise SettingsError(f"{name}={text} cannot be read: see bgrating find --help")
    rows = []
    for path in sorted((results / "human").glob("*/decisions.parquet")):
        rows += _in_collection(path, criteria, most)
    return sorted(rows, key=lambda row: -row["loss_emg"])[:most]


def _in_collection(path: Path, criteria: Mapping[str, str], most: int) -> list[Json]:
    fitting = [pd.DataFrame(columns=["file", "match", "index", *_SHOWN])]
    with pq.ParquetFile(path) as file:
        for group in range(file.num_row_groups):  # a row group has whole matches
            decisions = with_second_look(file.read_row_group(group).to_pandas())
            index = decisions.groupby(["file", "match"], sort=False).cumcount()
            fits = _fits(decisions, criteria)
            fitting.append(decisions.assign(index=index)[fits].nlargest(most, "loss_emg"))
    pages = match_pages(read_settled(path.parent / "matches.csv"))
    shown_rows = []
    for row in pd.concat(fitting).to_dict("records"):
        page = pages.get((row["file"], row["match"]))
        address = f"{(path.parent / page).resolve().as_uri()}#d{row['index']}" if page else ""
        values = {name: row[name] for name in _SHOWN}
        shown_rows.append({"collection": path.parent.name, **values, "page": address})
    return shown_rows


def _fits(decisions: pd.DataFrame, criteria: Mapping[str, str]) -> pd.Series:
    """Return which of some decisions (`with_second_look`) have all wanted fields."""
    xgids = decisions["xgid"].tolist()
    away = (decisions["match_length"] - decisions["score"]).astype(str)
    opponent_away = (decisions["match_length"] - decisions["opponent_score"]).astype(str)
    texts = {
        "player": decisions["player"].str.casefold(),
        "plan": plans(xgids, decisions["theme"].tolist()),
        "kind": decisions["kind"],
        "dice": decisions["dice"].map(sorted).str.join(""),
        "cube": decisions["cube"].astype(str),
        "away": away + "-" + opponent_away,
    }
    fits = decisions["loss_emg"] >= float(criteria.get("loss", COSTLY))
    for name in texts.keys() & criteria.keys():
        text = criteria[name].casefold()
        fits &= texts[name] == ("".join(sorted(text)) if name == "dice" else text)
    if "pips" in criteria:
        low, high = map(int, criteria["pips"].split("-"))
        pips = chequers(xgids)[0] @ np.arange(26)
        fits &= (pips >= low) & (pips <= high)
    if "position" in criteria:
        fits &= decisions["xgid"].str.match(xgid_pattern(criteria["position"]))
    return fits
