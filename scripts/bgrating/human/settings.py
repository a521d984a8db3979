"""The settings of the target `human`, and what its rules ask while Snakemake plans."""

import hashlib
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bgrating import levels
from bgrating.human import listing
from bgrating.human.plan import planned_batches
from bgrating.settings import SettingsError

PUBLISHED = ("published", "published-2003")


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

    def files(self) -> list[str]:
        """Return the files that the settings name and the tables depend on."""
        formula = [] if self.coefficients in PUBLISHED else [str(formula_file(self.coefficients))]
        if self.collection and DEPTH.is_file() and levels.analysis(self.analysis).chequerplay.plies > 0:
            formula.append(str(DEPTH))
        return formula + ([self.aliases] if self.aliases else [])

    def pages(self) -> list[str]:
        """Return the names of the pages that are asked for; a player's has a hash, which tells like names apart."""
        if not self.player:
            return ["report"]
        plain = re.sub(r"[^A-Za-z0-9]+", "-", self.player).strip("-")[:40] or "player"
        return ["report", f"players/{plain}-{hashlib.sha256(self.player.encode()).hexdigest()[:8]}"]


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
        player=str(config.get("player", "")),
    )
    if collection:
        _check(found)
    return found


@cache
def fingerprint(asked: HumanSettings, results: str) -> str:
    """Return the fingerprint of the collection; empty where none is asked for."""
    return listing.fingerprint(Path(asked.collection), Path(results)) if asked.collection else ""


def batch_tables(plan: str) -> list[str]:
    """Return the tables of all batches that a plan names."""
    return [str(Path(plan).with_name("batches") / f"{batch}.csv") for batch in planned_batches(Path(plan))]


def members(batch: Path) -> int:
    """Return how many matches a batch holds."""
    with zipfile.ZipFile(batch) as packed:
        return len(packed.namelist())


def formula_file(coefficients: str) -> Path:
    """Return the file of coefficients that are not the published ones."""
    return FITTED.get(coefficients, Path(coefficients))


_RESULTS = Path(__file__).resolve().parents[3] / "results"
DEPTH = _RESULTS / "comparison" / "depth.csv"  # the same matches analysed at two depths
# `fitted` is the formula that statistics/choice.py recommends; `fitted-epc` goes with the EPC that gnubg shows.
FITTED = {
    "fitted": _RESULTS / "statistics" / "recommended.json",
    "fitted-epc": _RESULTS / "part2" / "formula.json",
}


def _check(asked: HumanSettings) -> None:
    if not Path(asked.collection).exists():
        raise SettingsError(f"collection={asked.collection}: no such folder (paths start at the project's folder)")
    levels.analysis(asked.analysis)
    if asked.coefficients not in PUBLISHED and not formula_file(asked.coefficients).is_file():
        raise SettingsError(
            f"coefficients={asked.coefficients}: there is no {formula_file(asked.coefficients)}; "
            + (
                "./run analysis fits it"
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
