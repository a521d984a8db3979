"""Read a match file: bytes in, matches out."""

import operator
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest

from bgmatch.days import UNKNOWN, impossible
from bgmatch.headers import (
    Headers,
    dialect,
    final_score,
    flag,
    is_date,
    iso_date,
    players,
    rated_name,
)
from bgmatch.model import (
    LEFT,
    RIGHT,
    CubeAction,
    CubeKind,
    Ending,
    Finding,
    Game,
    Match,
    MatchFile,
    Names,
    Players,
    Roll,
    Score,
    is_at_crawford,
    score_text,
)
from bgmatch.repair import BROKEN, repaired
from bgmatch.replay import MAX_CUBE, GameStart, begun, replay
from bgmatch.sections import MatchTextError, RawGame, RawMatch, lines_of, sections, swap_columns
from bgmatch.variations import variation_of

Games = tuple[Game, ...]
Findings = list[Finding]

_UNLIMITED_LABELS = {2, 4, 8, 16}
# Backgammon Galaxy writes an unlimited game as a match of one game, to the most points that the
# game can cost.
_OVER = re.compile(r"\band the match\b", re.IGNORECASE)
_STATE_OVER = {"galaxy", "xg", "playok", "gamesgrid"}
"""Programs that write "and the match" at the end of every complete match."""


def read_matches(data: bytes) -> MatchFile:
    """Read all matches in the bytes of a text file.

    Parameters
    ----------
    data
        The bytes of a match text (.mat, .txt), in any dialect and encoding.

    Returns
    -------
    MatchFile
        The matches in their order. A match names its faults in `findings`.

    Raises
    ------
    MatchTextError
        The file is empty, binary or huge, or has no match; the message has the reason.
    """
    lines, found = lines_of(data)
    raw = sections(lines)
    if not raw:
        raise MatchTextError('no match in this text: there is no line such as "7 point match"')
    ends = [*(match.line - 1 for match in raw[1:]), len(lines)]
    texts = ["\n".join(lines[match.line - 1 : end]) for match, end in zip(raw, ends, strict=True)]
    return MatchFile(tuple(map(_match, raw, texts)), found)


def match_of(raw: RawMatch, program: str, pair: Players) -> Match:
    """Return the match of a program's own file format; `pair` is the left and the right player."""
    return _match(raw, "", (program, pair))


def _match(raw: RawMatch, text: str, about: tuple[str, Players] | None = None) -> Match:
    """Return the match; without `about`, headers and `text` determine program and players."""
    headers = raw.headers
    written = headers.get("eventdate", "") or headers.get("date", "")
    findings = [*raw.findings, *_odd_headers(headers, written)]
    date = iso_date(written)
    if why := impossible(date):
        if date != UNKNOWN:
            findings.append(Finding("date", f"{why} ({date}): taken as unknown"))
        date = ""
    names = next((game.names for game in raw.games if game.names), None)
    if names is None:
        names = (headers.get("player 1", ""), headers.get("player 2", ""))
    is_swapped = False
    if about:
        program, pair = about
    else:
        program = dialect(headers, names, text)
        pair, is_swapped = players(headers, names, program)
    unlimited = program == "galaxy" and raw.length in _UNLIMITED_LABELS and len(raw.games) <= 1
    length = 0 if unlimited else raw.length
    crawford = flag(headers.get("crawford", "")) is not False
    games = _games(raw, names, length, crawford, headers.get("variation", ""), findings)
    games = _by_score(games, findings)
    final, winner, complete = _outcome(games, length, crawford, findings)
    if not about:
        states_over = program in _STATE_OVER and "player 1" in headers
        findings += _compare_stated_end(states_over, length, text, final)
    findings += _compare_header_score(headers, is_swapped, raw.length, final)
    has_cube = _has_cube(headers.get("cubelimit", ""), games, findings)
    if any(finding.code == "score-back" for finding in findings):
        winner = None
    left, right = (player.name for player in pair)
    if not left:
        findings.append(Finding("empty-name", "the left player has no name"))
    if not right:
        findings.append(Finding("empty-name", "the right player has no name"))
    if left and left == right:
        findings.append(
            Finding("same-name", f"both players are called {left!r}: counted for neither")
        )
    return Match(
        dialect=program,
        declared_length=raw.length,
        match_length=length,
        unlimited=unlimited,
        players=pair,
        games=games,
        final_score=final,
        winner=winner,
        complete=complete,
        date=date,
        event=headers.get("event", ""),
        round=headers.get("round", ""),
        crawford=crawford and length > 0,
        jacoby=_jacoby(headers.get("jacoby", ""), games, length, findings),
        findings=tuple(findings),
        cube=has_cube,
    )


def _odd_headers(headers: Headers, date: str) -> Iterator[Finding]:
    for name, otherwise in (("crawford", "On"), ("jacoby", "unknown")):
        value = headers.get(name, "").strip()
        if value and flag(value) is None:
            yield Finding(
                name,
                f"the header {name.title()} is neither On nor Off but {value!r}: taken as"
                f" {otherwise}",
            )
    if not is_date(date):
        yield Finding("date", f"no such date: {date!r}, taken as {iso_date(date) or 'unknown'}")


def _games(
    raw: RawMatch, names: Names, length: int, crawford: bool, variation: str, findings: Findings
) -> Games:
    standard = variation.strip().casefold() in {"", "backgammon", "standard"}
    if not standard:
        findings.append(Finding("variation", f"not backgammon but {variation}: no play is checked"))
    out: list[Game] = []
    crawford_over = False
    seen = {names}
    for game in raw.games:
        _align(game, names, seen, findings)
    damaged = {finding.game for finding in raw.findings}
    for game, following in zip_longest(raw.games, raw.games[1:]):
        score = game.score
        if score is None:
            if game.names is None:
                findings.append(
                    Finding(
                        "no-score",
                        "the game has no line with names and score",
                        game.number,
                        game.line,
                    )
                )
            elif out and out[-1].result.winner is None:
                message = "the game before has no winner, so the score is not known"
                findings.append(Finding("score", message, game.number))
            score = out[-1].score_after if out else (0, 0)
        at_crawford = is_at_crawford(score, length)
        is_crawford = crawford and at_crawford and not crawford_over
        if is_crawford and not out:
            is_crawford = not any(cell.kind == "double" for cell in game.cells)
        crawford_over = crawford_over or at_crawford
        start = GameStart(game.number, score, raw.length, length == 0, is_crawford, standard)
        played, odd = replay(game.cells, start)
        is_broken = standard and any(finding.code in BROKEN for finding in odd)
        if is_broken and (other := variation_of(game.cells, start)):
            findings.insert(0, Finding("variation", f"the first plays fit {other}, not backgammon"))
            return _games(raw, names, length, crawford, other, findings)
        if is_broken and game.number not in damaged:
            after = following.score if following else None
            played, odd = repaired(game.cells, begun(game.cells, start), after) or (played, odd)
        if played.result.winner is not None and not played.actions:
            message = "the text gives a winner of this game, and none of its rolls"
            odd = [*odd, Finding("no-rolls", message, game.number)]
        findings += odd
        out.append(played)
    return tuple(out)


def _jacoby(header: str, games: Games, length: int, findings: Findings) -> bool | None:
    """Return whether a money session has the Jacoby rule.

    By the header, else by the points of a gammon.
    """
    if length:
        return None
    if flag(header) is not None:
        return flag(header)
    if any(finding.code == "jacoby" for finding in findings):
        return True
    for game in games:
        result = game.result
        if (
            result.ending is Ending.BEAROFF
            and result.cube == 1
            and result.multiplier > 1
            and result.stated
        ):
            return False
    return None


def _align(game: RawGame, names: Names, seen: set[Names], findings: Findings) -> None:
    """Bring a game's columns into the match's order.

    Some programs exchange the columns between games.
    """
    if game.names is None or game.names in seen:
        return
    if game.names == names[::-1]:
        swap_columns(game)
        return
    seen.add(game.names)
    if [rated_name(name)[0] for name in game.names] != [rated_name(name)[0] for name in names]:
        message = f"the players change to {game.names[0]!r} and {game.names[1]!r}"
        findings.append(Finding("names", message, game.number, game.line))


def _by_score(games: Games, findings: Findings) -> Games:
    """Complete games without a result by the next game's score.

    Compare the results of the others with it.
    """
    out: list[Game] = []
    for game, following in zip_longest(games, games[1:]):
        out.append(game)
        if following is None or game.score_after == following.score:
            continue
        left, right = map(operator.sub, following.score, game.score)
        if game.result.winner is None and min(left, right) == 0 < max(left, right):
            points = left or right
            multiplier = min(3, -(-points // game.result.cube))
            winner = LEFT if left else RIGHT
            result = replace(
                game.result,
                winner=winner,
                points=points,
                ending=Ending.SCORE,
                multiplier=multiplier,
            )
            out[-1] = replace(game, result=result)
            findings.append(
                Finding("no-result", "the winner is known from the next score only", game.number)
            )
            continue
        code = "score-back" if min(left, right) < 0 else "score"
        message = (
            f"{score_text(game.score_after)} after the game, but the next begins at"
            f" {score_text(following.score)}"
        )
        findings.append(Finding(code, message, game.number))
    return tuple(out)


def _compare_stated_end(
    states_over: bool, length: int, text: str, final: Score
) -> Iterator[Finding]:
    is_stated = _OVER.search(text) is not None
    if length and is_stated != (max(final) >= length) and (is_stated or states_over):
        states = "states" if is_stated else "does not state"
        message = f"the score at the end is {score_text(final)} of {length}, and the text {states}"
        yield Finding("length", f"{message} that the match is over")


def _compare_header_score(
    headers: Headers, is_swapped: bool, declared: int, final: Score
) -> Iterator[Finding]:
    """Compare the final score with Backgammon Galaxy's headers, which may leave out points above
    the length.
    """
    if "galaxy" not in headers.get("site", "").casefold():
        return
    stated = [final_score(headers.get(f"player {number} elo", "")) for number in (1, 2)]
    left, right = stated[::-1] if is_swapped else stated
    if (
        left is None
        or right is None
        or (left, right) in {final, (min(final[0], declared), min(final[1], declared))}
    ):
        return
    message = f"the headers give the final score {left}-{right}, the games {score_text(final)}"
    yield Finding("header-score", message)


def _has_cube(header: str, games: Games, findings: Findings) -> bool:
    """Compare the doubles with the headers' CubeLimit; return whether a cube was in play."""
    limit = int(header) if header.strip().isdecimal() else MAX_CUBE
    for game in games:
        for action in game.actions:
            if (
                isinstance(action, CubeAction)
                and action.kind is CubeKind.DOUBLE
                and action.value > limit
            ):
                message = f"a double to {action.value}, and the headers have the CubeLimit {limit}"
                findings.append(Finding("header-cube-limit", message, game.number, action.line))
                return True
    if limit == 1:
        message = (
            "no cube was in play: no cube decision is counted, and the rating has no cube part"
        )
        findings.append(Finding("no-cube", message))
    return limit != 1


def _outcome(
    games: Games, length: int, crawford: bool, findings: Findings
) -> tuple[Score, int | None, bool]:
    if not games:
        findings.append(Finding("no-games", "the match has no game"))
        return (0, 0), None, False
    final = games[-1].score_after
    if games[0].score != (0, 0):
        findings.append(_first_score(games[0], length, crawford))
    for game in games:
        if length and max(game.score) >= length:
            findings.append(
                Finding("match-over", "the match was over before this game", game.number)
            )
    if games[-1].result.winner is None:
        findings.append(Finding("unfinished", "the last game has no winner", games[-1].number))
    leader = LEFT if final[0] > final[1] else RIGHT
    if length == 0:
        return final, None if final[0] == final[1] else leader, games[-1].result.winner is not None
    complete = max(final) >= length
    if not complete:
        findings.append(
            Finding("incomplete", f"the match ends at {score_text(final)} of {length} points")
        )
    return final, leader if complete else None, complete


def _first_score(game: Game, length: int, crawford: bool) -> Finding:
    """Return the finding of a record that begins in the middle of a match.

    If a player is a point away, a double shows that the Crawford game is over. Of 796 games without
    a double in which the trailer had a turn, 787 were the Crawford game.
    """
    message = f"the first game begins at {score_text(game.score)}"
    if not is_at_crawford(game.score, length):
        return Finding("first-score", message, game.number)
    trailer = game.score.index(min(game.score))
    had_turn = any(
        isinstance(action, Roll) and action.side == trailer for action in game.actions[1:]
    )
    if not crawford or (game.crawford and not had_turn):
        return Finding("crawford-unknown", message, game.number)
    taken = (
        "for the Crawford game, since nobody doubled"
        if game.crawford
        else "as after the Crawford game"
    )
    return Finding("first-score", f"{message}, taken {taken}", game.number)
