"""The settings of the target `human`, and what its rules ask while Snakemake plans."""

import hashlib
import re
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from bgrating.collection import listing
from bgrating.collection.batches import all_killed
from bgrating.collection.collection import planned_batches
from bgrating.engine import levels
from bgrating.matchtext.headers import composed
from bgrating.rating.files import FITTED, PUBLISHED, depth_table, formula_file
from bgrating.settings import SettingsError

MOST_PAGES = 5000
"""Pages of players, and of matches: those beyond are in the tables only."""
MOST_LETTERS = 40

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


def page_names(texts: Iterable[str]) -> dict[str, str]:
    """Return a file name for the page of each of different texts: what can be read of it.

    Texts that read alike get a part of their hash as well, as much as tells them apart, whatever their order.
    """
    slugs = {text: _slug(text) for text in texts}
    alike = Counter(slug.casefold() for slug in slugs.values())
    names = {text: slug for text, slug in slugs.items() if slug and alike[slug.casefold()] == 1}
    others = {text: hashlib.sha256(text.encode()).hexdigest() for text in slugs if text not in names}
    length = next(n for n in range(8, 65) if len({digest[:n] for digest in others.values()}) == len(others))
    taken = {name.casefold() for name in names.values()}
    for text, digest in others.items():
        name = f"{slugs[text] or 'page'}-{digest[:length]}"
        names[text] = name if name.casefold() not in taken else f"{slugs[text]}-{digest}"
    return {text: f"{names[text]}.html" for text in slugs}


def _slug(text: str) -> str:
    """Return the Latin letters and digits at the end of a text, everything else a dash."""
    parted = unicodedata.normalize("NFKD", text)
    plain = "".join(letter for letter in parted if not unicodedata.combining(letter))
    return re.sub(r"[^A-Za-z0-9]+", "-", plain).strip("-")[-MOST_LETTERS:].strip("-")


def player_pages(players: Iterable[str]) -> dict[str, str]:
    """Return where the pages of a collection's players are, from its folder; those beyond MOST_PAGES have none."""
    return {name: f"players/{page}" for name, page in page_names(islice(players, MOST_PAGES)).items()}


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
