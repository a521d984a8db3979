"""The settings of the target `human`, and what its rules ask while Snakemake plans."""

import hashlib
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bgrating.collection import listing
from bgrating.collection.batches import all_killed
from bgrating.collection.collection import planned_batches
from bgrating.engine import levels
from bgrating.matchtext.headers import composed
from bgrating.rating.files import FITTED, PUBLISHED, depth_table, formula_file
from bgrating.settings import SettingsError
from bgrating.tables.csv_safety import without_mark

REASONS = 5
"""Reasons that are named where no match could be read."""


@dataclass(frozen=True)
class HumanSettings:
    """What is asked for; `collection`, `aliases` and `player` are empty where they are not given."""

    collection: str
    name: str
    offset: float
    coefficients: str
    analysis: str
    aliases: str
    player: str
    nets: str

    def files(self) -> list[str]:
        """Return the files that the settings name and the tables depend on."""
        formula = [] if self.coefficients in PUBLISHED else [str(formula_file(self.coefficients, self.nets))]
        depth = depth_table(self.nets)
        if self.collection and depth.is_file() and levels.analysis(self.analysis).chequerplay.plies > 0:
            formula.append(str(depth))
        return formula + ([self.aliases] if self.aliases else [])

    def pages(self) -> list[str]:
        """Return the pages that are asked for, from the folder of the collection."""
        return ["report.html", *([player_file(self.player)] if self.player else [])]


def page_name(text: str) -> str:
    """Return the file name of a page: what can be read of a name's end, and a hash, which tells like names apart."""
    plain = re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-")[-24:].strip("-") or "page"
    return f"{plain}-{hashlib.sha256(text.encode()).hexdigest()[:8]}.html"


def player_file(player: str) -> str:
    """Return where a player's page is, from the folder of the collection; the name may be as a table has it."""
    return f"players/{page_name(without_mark(player))}"


def settings(config: Mapping[str, Any]) -> HumanSettings:
    """Return the settings; those of a run that does not ask for a collection are placeholders.

    Raises SettingsError where files that they name are not there.
    """
    collection = str(config.get("collection", ""))
    found = HumanSettings(
        collection=collection,
        name=str(config.get("name", "")) or _folder_name(collection),
        offset=float(config["offset"]),
        coefficients=str(config["coefficients"]),
        analysis=str(config["analysis"]),
        aliases=str(config.get("aliases", "")),
        player=composed(str(config.get("player", ""))),
        nets=str(config["nets"]),
    )
    if collection:
        _check(found)
    return found


@cache
def fingerprint(asked: HumanSettings, results: str) -> str:
    """Return the fingerprint of the collection and of what was killed from outside; empty where none is asked for."""
    if not asked.collection:
        return ""
    killed = all_killed(Path(results) / "human" / asked.name / asked.analysis / "batches")
    return " ".join([listing.fingerprint(Path(asked.collection), Path(results)), *(key for _, key in killed)])


def batch_tables(plan: str) -> list[str]:
    """Return the tables of all batches that a plan names."""
    return [str(Path(plan).with_name("batches") / f"{batch}.csv") for batch in planned_batches(Path(plan))]


def members(batch: Path) -> int:
    """Return how many matches a batch holds."""
    with zipfile.ZipFile(batch) as packed:
        return len(packed.namelist())


def require_matches(files: Sequence[Mapping[Any, Any]], collection: str) -> None:
    """Raise SettingsError, naming the reasons, where none of the files (rows of files.csv) gave a match."""
    if any(file["status"] not in {"rejected", "duplicate"} for file in files):
        return
    first = {file["reason"]: file["file"] for file in reversed(files)}
    reasons = "; ".join(f"{file}: {reason}" for reason, file in list(reversed(first.items()))[:REASONS])
    raise SettingsError(f"no match could be read in {collection}: {reasons or 'the folder is empty'}")


def _check(asked: HumanSettings) -> None:
    if not Path(asked.collection).exists():
        raise SettingsError(f"collection={asked.collection}: no such folder (paths start at the project's folder)")
    levels.analysis(asked.analysis)
    if asked.coefficients not in PUBLISHED and not formula_file(asked.coefficients, asked.nets).is_file():
        raise SettingsError(
            f"coefficients={asked.coefficients}: there is no {formula_file(asked.coefficients, asked.nets)}; "
            + (
                f"./run law --config nets={asked.nets} fits it"
                if asked.coefficients in FITTED
                else "or published, published-2003, fitted, fitted-epc"
            )
        )
    if asked.aliases and not Path(asked.aliases).is_file():
        raise SettingsError(f"aliases={asked.aliases}: no such file (paths start at the project's folder)")


def _folder_name(collection: str) -> str:
    """Return a name for the results from the collection's own: letters, digits, dot, dash and underscore."""
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", Path(collection).resolve().stem if collection else "").strip("-")
    return name or "collection"
