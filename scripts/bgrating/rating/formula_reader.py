"""Read the JSON of formula files: the one reader of every command and of the API.

It needs Python alone, as `calc` does. What a file says is checked where it becomes a formula
(rating/formula.py). `calc` reads committed files only, whose checksums are verified.
"""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from bgmatch.records import Json
from bgrating import BgratingError
from bgrating.rating.result_files import formula_of
from bgrating.tables.provenance import has_provenance, verified
from bgrating.tables.regular import regular

_LARGEST = 10**6
"""Largest size of a formula file in bytes; those of studies have a few thousand."""


class FormulaError(BgratingError, ValueError):
    """A formula file cannot be read, or a formula does not hold at a match length."""


class NoFormulaError(FormulaError):
    """A formula file without a formula, since its study determines none.

    `reason` is from the file.
    """

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path} holds no formula: {reason}")
        self.reason = reason


@cache
def fitted_formula_json(engine_version: str) -> Json:
    """Return the JSON of an engine's own formula file, which must have its provenance and be of
    this version.

    Raises FormulaError or ProvenanceError.
    """
    path = formula_of(engine_version)
    formula_json = read_formula_json(path)
    verified(path)
    if formula_json.get("nets") != engine_version:
        raise FormulaError(
            f"{path} is for errors as gnubg {formula_json.get('nets')} judges them, not"
            f" {engine_version}: restore the file from the repository, or pass it as --formula FILE"
        )
    if not formula_json.get("interval"):
        raise FormulaError(f"{path} has no intervals: restore the file from the repository")
    return formula_json


def read_formula_json(path: Path) -> Json:
    """Return the JSON of a formula file.

    Its checksum is verified if it has a provenance. Raises FormulaError for what is no JSON object,
    NoFormulaError if its study determines no formula, and ProvenanceError if its bytes have
    changed.
    """
    try:
        with regular(path, _LARGEST, through_links=True) as file:
            text = file.read().decode("utf-8")
        formula_json = json.loads(text, parse_constant=_refuse, object_pairs_hook=_object)
    except (OSError, ValueError, RecursionError) as error:
        raise FormulaError(
            f"{path} is not a rating formula, a JSON file that `fit` writes: {error}"
        ) from error
    if has_provenance(path):
        verified(path)
    if not isinstance(formula_json, dict):
        raise FormulaError(f"{path} is not a rating formula: it is no JSON object")
    if formula_json.get("formula", "") is None:
        raise NoFormulaError(path, str(formula_json.get("reason", "")))
    return formula_json


def _refuse(number: str) -> None:
    raise ValueError(f"{number} is not a JSON number")


def _object(pairs: Sequence[tuple[str, Any]]) -> Json:
    entries: Json = {}
    for name, value in pairs:
        if name in entries:
            raise ValueError(f"it gives {name} twice")
        entries[name] = value
    return entries
