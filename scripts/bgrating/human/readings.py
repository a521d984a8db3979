"""Read one file of a collection: what is in it, and the clean matches that the engine will be given."""

import base64
import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from bgrating.human.contents import UnreadableError
from bgrating.human.foreign import CONVERTERS, ENGINE_FORMATS, ConversionError
from bgrating.human.import_check import expected_import
from bgrating.human.inert import shown
from bgrating.human.listing import Found
from bgrating.matchtext import Match, MatchTextError, content_key, read_matches, write_mat
from bgrating.matchtext.write import playable_games

Json = dict[str, Any]

MAX_REASONS = 5
"""Warnings of one match that its line in files.csv names; more are counted."""

# Findings that say no more than the status "incomplete" does.
_OF_INCOMPLETE = {"incomplete", "unfinished"}
_MONEY = "set jacoby on", "set jacoby off"
# The engine keeps the match before where it refuses a file, so it is given a new session first, which has no play.
_CLEARED = ["set player 0 human", "set player 1 human", "set automatic roll off", "new session"]


def read_found(found: Found, read: Callable[[Found], bytes]) -> tuple[Json, dict[str, Json]]:
    """Return the record of a file and, by key, the contents that an engine can analyse.

    A record has `file, stamp, sha256, dialect, problem` (why nothing was read, or empty) and `matches`; each of these
    its own `problem` or a `key`, which is the same for the same content. A content is what batches.py keeps.
    """
    record: Json = {"file": found.name, "stamp": list(found.stamp), "sha256": "", "dialect": "", "problem": ""}
    record["matches"] = []
    try:
        data = read(found)
    except UnreadableError as problem:
        return {**record, "problem": shown(str(problem))}, {}
    record["sha256"] = hashlib.sha256(data).hexdigest()
    suffix = PurePath(found.name).suffix.lower()
    if suffix in ENGINE_FORMATS and data:
        match, content = _foreign(data, ENGINE_FORMATS[suffix])
        return {**record, "dialect": suffix[1:], "matches": [match]}, {content["key"]: content}
    try:
        convert = CONVERTERS.get(suffix)
        matches = (convert(data),) if convert else read_matches(data).matches
    except (MatchTextError, ConversionError) as problem:
        return {**record, "problem": shown(str(problem))}, {}
    contents: dict[str, Json] = {}
    for one in matches:
        match, text_content = _text_match(one, (f"converted from {suffix} by gammonview",) if convert else ())
        record["matches"].append(match)
        if text_content:
            contents[text_content["key"]] = text_content
    record["dialect"] = suffix[1:] if convert else " and ".join(sorted({match.dialect for match in matches}))
    return record, contents


def rank(match: Json, file: str, number: int) -> tuple[bool, bool, int, str, int]:
    """Return what orders the copies of a match: the least stands for all of them."""
    only_engine = not match["content"]
    return (only_engine, not match.get("complete", True), len(match.get("warnings", ())), file, number)


def _text_match(match: Match, notes: tuple[str, ...]) -> tuple[Json, Json | None]:
    incomplete = [finding.message for finding in match.findings if finding.code in _OF_INCOMPLETE]
    warnings = [*notes, *(_sentence(one) for one in match.findings if one.code not in _OF_INCOMPLETE)]
    if match.match_length > 1 and not match.crawford:
        warnings.append("played without the Crawford rule, with which the engine judges it")
    record: Json = {
        "key": "",
        "content": content_key(match),
        "problem": "",
        "match_length": match.match_length,
        "declared_length": match.declared_length,
        "unlimited": match.unlimited,
        "games": len(match.games),
        "rolls": match.rolls,
        "score": list(match.final_score),
        "complete": match.complete,
        "winner": match.winner,
        "date": match.date,
        "names": [shown(player.name) for player in match.players],
        "real_names": [shown(player.real_name) for player in match.players],
        "ratings": [player.rating for player in match.players],
        # Whether the engine sees every game to its end.
        "whole": all(game.known == len(game.actions) for game in match.games)
        and len(playable_games(match)) == len(match.games),
        "incomplete": shown("; ".join(incomplete)),
        "warnings": [shown(text) for text in warnings[:MAX_REASONS]],
        "more_warnings": max(0, len(warnings) - MAX_REASONS),
    }
    if not record["content"] or not playable_games(match):
        return {**record, "problem": "no roll that can be analysed"}, None
    try:
        text = write_mat(replace(match, date=""))
    except ValueError as problem:
        return {**record, "problem": shown(str(problem))}, None
    before = [] if match.match_length else [_MONEY[match.jacoby is False]]
    content = _content(text.encode("ascii"), "mat", before, match.rolls)
    return {**record, "key": content["key"]}, {**content, "expected": expected_import(match)}


def _foreign(data: bytes, form: str) -> tuple[Json, Json]:
    # A roll takes 20 bytes or more in these formats; the number serves to part the work.
    content = _content(data, form, [*_CLEARED, _MONEY[0]], max(1, len(data) // 20))
    return {"key": content["key"], "content": "", "problem": "", "rolls": content["rolls"]}, content


def _content(data: bytes, form: str, before: list[str], rolls: int) -> Json:
    key = hashlib.sha256(repr((data, form, before)).encode()).hexdigest()
    return {
        "key": key,
        "format": form,
        "before": before,
        "after": [] if form == "mat" else ["analyse clear match"],
        "rolls": rolls,
        "data": base64.b64encode(data).decode("ascii"),
        "expected": None,
    }


def _sentence(finding: Any) -> str:
    return f"game {finding.game}: {finding.message}" if finding.game else str(finding.message)
