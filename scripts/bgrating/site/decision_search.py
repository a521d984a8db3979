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
from bgrating.tables.table_files import read_table

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


def find(results: Path, wanted: Mapping[str, str], most: int) -> list[Json]:
    """Return the costliest decisions of all collections with the wanted FIELDS, `most` at most.

    Each has its collection and the address of its page. Raises SettingsError for a field that is
    unknown or written otherwise.
    """
    for name, text in wanted.items():
        if name not in FIELDS:
            raise SettingsError(f"there is no field {name!r}: choose of {', '.join(FIELDS)}")
        if not re.fullmatch(FIELDS[name], text, re.ASCII):
            raise SettingsError(f"{name}={text} cannot be read: see bgrating find --help")
    found = []
    for path in sorted((results / "human").glob("*/decisions.parquet")):
        found += _in_collection(path, wanted, most)
    return sorted(found, key=lambda row: -row["loss_emg"])[:most]


def _in_collection(path: Path, wanted: Mapping[str, str], most: int) -> list[Json]:
    parts = [pd.DataFrame(columns=["file", "match", "place", *_SHOWN])]
    with pq.ParquetFile(path) as file:
        for group in range(file.num_row_groups):  # a row group has whole matches
            part = with_second_look(file.read_row_group(group).to_pandas())
            place = part.groupby(["file", "match"], sort=False).cumcount()
            fits = _fits(part, wanted)
            parts.append(part.assign(place=place)[fits].nlargest(most, "loss_emg"))
    pages = match_pages(read_table(path.parent / "matches.csv"))
    found = []
    for row in pd.concat(parts).to_dict("records"):
        page = pages.get((row["file"], row["match"]))
        address = f"{(path.parent / page).resolve().as_uri()}#d{row['place']}" if page else ""
        shown = {name: row[name] for name in _SHOWN}
        found.append({"collection": path.parent.name, **shown, "page": address})
    return found


def _fits(part: pd.DataFrame, wanted: Mapping[str, str]) -> pd.Series:
    """Return which of some decisions (`with_second_look`) have all wanted fields."""
    xgids = part["xgid"].tolist()
    own = (part["match_length"] - part["score"]).astype(str)
    other = (part["match_length"] - part["opponent_score"]).astype(str)
    texts = {
        "player": part["player"].str.casefold(),
        "plan": plans(xgids, part["theme"].tolist()),
        "kind": part["kind"],
        "dice": part["dice"].map(sorted).str.join(""),
        "cube": part["cube"].astype(str),
        "away": own + "-" + other,
    }
    fits = part["loss_emg"] >= float(wanted.get("loss", COSTLY))
    for name in texts.keys() & wanted.keys():
        text = wanted[name].casefold()
        fits &= texts[name] == ("".join(sorted(text)) if name == "dice" else text)
    if "pips" in wanted:
        low, high = map(int, wanted["pips"].split("-"))
        pips = chequers(xgids)[0] @ np.arange(26)
        fits &= (pips >= low) & (pips <= high)
    if "position" in wanted:
        fits &= part["xgid"].str.match(xgid_pattern(wanted["position"]))
    return fits
