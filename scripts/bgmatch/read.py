"""Read a match file: bytes in, matches out."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest

from bgmatch.days import UNKNOWN, impossible
from bgmatch.errors import MatchTextError
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
    Ending,
    Finding,
    Findings,
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
from bgmatch.replay import GameRecord, replay
from bgmatch.sections import RawGame, RawMatch, lines_of, sections, swap_columns
from bgmatch.variations import variation_of

Games = tuple[Game, ...]

_UNLIMITED_LABELS = {2, 4, 8, 16}
# Backgammon Galaxy writes an unlimited game as a match of one game, to the most points that the
# game can cost.
_OVER = re.compile(r"(?i)\band the match\b")
# Programs that write "and the match" at the end of every complete match.
_STATE_OVER = {"galaxy", "xg", "playok", "gamesgrid"}


def read_matches(data: bytes) -> MatchFile:
    """Read all matches in the bytes of a text file.

    Raises MatchTextError, with the reason in one line, for an empty, binary or huge file, or a text
    without a match. Other faults become findings of their match.
    """
    lines, decoded = lines_of(data)
    raw = sections(lines)
    if not raw:
        raise MatchTextError('no match in this text: there is no line such as "7 point match"')
    return MatchFile(tuple(map(_match_of_text, raw)), decoded)


def _match_of_text(raw: RawMatch) -> Match:
    """Return a match whose headers and text determine program and players."""
    headers = raw.headers
    text = "\n".join(raw.lines)
    names = _names(raw)
    program = dialect(headers, names, text)
    sides, is_swapped = players(headers, names, program)
    match = match_of(raw, program, sides)
    states_over = program in _STATE_OVER and "player 1" in headers
    findings = [
        *_compare_stated_end(match, is_stated=bool(_OVER.search(text)), states_over=states_over),
        *_compare_header_score(match, headers, is_swapped=is_swapped),
    ]
    return replace(match, findings=(*match.findings, *findings))


def match_of(raw: RawMatch, program: str, sides: Players) -> Match:
    """Return the match that a program wrote; `sides` is the left and the right player."""
    headers = raw.headers
    findings = Findings([*raw.findings, *_unclear_flags(headers)])
    unlimited = program == "galaxy" and raw.length in _UNLIMITED_LABELS and len(raw.games) <= 1
    length = 0 if unlimited else raw.length
    crawford = flag(headers.get("crawford", "")) is not False
    date = _date(headers, findings)
    _align(raw, findings)
    variation = headers.get("variation", "").strip()
    standard = variation.casefold() in {"", "backgammon", "standard"}
    if not standard:
        findings.add("variation", f"not backgammon but {variation}: no play is checked")
    games = _games(raw, length, crawford, findings, standard=standard)
    games = _by_score(games, findings)
    final, winner, complete = _outcome(games, length, crawford, findings)
    has_cube = _has_cube(headers.get("cubelimit", ""), games, findings)
    jacoby = _jacoby(headers.get("jacoby", ""), games, length, findings)
    findings += _unnamed(sides)
    if any(finding.code == "score-back" for finding in findings):
        winner = None
    return Match(
        dialect=program,
        declared_length=raw.length,
        match_length=length,
        unlimited=unlimited,
        players=sides,
        games=games,
        final_score=final,
        winner=winner,
        complete=complete,
        date=date,
        event=headers.get("event", ""),
        round=headers.get("round", ""),
        crawford=crawford and length > 0,
        jacoby=jacoby,
        findings=tuple(findings),
        cube=has_cube,
    )


def _names(raw: RawMatch) -> Names:
    """Return the names above the columns of the first game that has some, else the headers'."""
    of_headers = (raw.headers.get("player 1", ""), raw.headers.get("player 2", ""))
    return next((game.names for game in raw.games if game.names), of_headers)


def _unclear_flags(headers: Headers) -> Iterator[Finding]:
    for name, otherwise in (("crawford", "On"), ("jacoby", "unknown")):
        value = headers.get(name, "").strip()
        if value and flag(value) is None:
            message = f"the header {name.title()} is neither On nor Off but {value!r}"
            yield Finding(name, f"{message}: taken as {otherwise}")


def _date(headers: Headers, findings: Findings) -> str:
    header = headers.get("eventdate", "") or headers.get("date", "")
    date = iso_date(header)
    if not is_date(header):
        findings.add("date", f"no such date: {header!r}, taken as {date or 'unknown'}")
    why = impossible(date)
    if why and date != UNKNOWN:
        findings.add("date", f"{why} ({date}): taken as unknown")
    return "" if why else date


def _unnamed(sides: Players) -> Iterator[Finding]:
    for side, player in zip(("left", "right"), sides, strict=True):
        if not player.name:
            yield Finding("empty-name", f"the {side} player has no name")
    left, right = sides
    if left.name and left.name == right.name:
        yield Finding("same-name", f"both players are called {left.name!r}: counted for neither")


def _align(raw: RawMatch, findings: Findings) -> None:
    """Bring the columns of all games into the match's order.

    Some programs exchange the columns between games.
    """
    names = _names(raw)
    known = {names}
    for game in raw.games:
        if game.names is None or game.names in known:
            continue
        if game.names == names[::-1]:
            swap_columns(game)
            continue
        known.add(game.names)
        if [rated_name(name)[0] for name in game.names] != [rated_name(name)[0] for name in names]:
            findings.add(
                "names",
                f"the players change to {game.names[0]!r} and {game.names[1]!r}",
                game.number,
                game.line,
            )


def _games(
    raw: RawMatch, length: int, crawford: bool, findings: Findings, *, standard: bool
) -> Games:
    games: list[Game] = []
    crawford_over = False
    damaged = {finding.game for finding in raw.findings}
    for game, following in zip_longest(raw.games, raw.games[1:]):
        score = game.score or _unwritten_score(game, games, findings)
        at_crawford = is_at_crawford(score, length)
        is_crawford = crawford and at_crawford and not crawford_over
        if is_crawford and not games:
            is_crawford = all(cell.kind != "double" for cell in game.cells)
        crawford_over = crawford_over or at_crawford
        record = GameRecord(
            game.cells, game.number, score, raw.length, length == 0, is_crawford, standard
        )
        played, game_findings = replay(record)
        if standard and any(finding.code in BROKEN for finding in game_findings):
            variation = variation_of(record)
            if variation:
                message = f"the first plays fit {variation}, not backgammon: no play is checked"
                findings.insert(0, Finding("variation", message))
                return _games(raw, length, crawford, findings, standard=False)
            if game.number not in damaged:
                after = following.score if following else None
                played, game_findings = repaired(record, after) or (played, game_findings)
        findings += game_findings
        if played.result.winner is not None and not played.actions:
            findings.add(
                "no-rolls",
                "the text gives a winner of this game, and none of its rolls",
                game.number,
            )
        games.append(played)
    return tuple(games)


def _unwritten_score(game: RawGame, before: Sequence[Game], findings: Findings) -> Score:
    """Return the score of a game without a line of names and score, by the games before."""
    if game.names is None:
        findings.add(
            "no-score", "the game has no line with names and score", game.number, game.line
        )
    elif before and before[-1].result.winner is None:
        findings.add(
            "score", "the game before has no winner, so the score is not known", game.number
        )
    return before[-1].score_after if before else (0, 0)


def _jacoby(header: str, games: Games, length: int, findings: Findings) -> bool | None:
    """Return whether a money session has the Jacoby rule; None if nothing tells.

    The header tells, else the points of a gammon.
    """
    if length:
        return None
    stated = flag(header)
    if stated is not None:
        return stated
    if any(finding.code == "jacoby" for finding in findings):
        return True
    results = [game.result for game in games if game.result.ending is Ending.BEAROFF]
    if any(result.cube == 1 < result.multiplier and result.stated_points for result in results):
        return False
    return None


def _by_score(games: Games, findings: Findings) -> Games:
    """Complete games without a result by the next score, and compare the others with it."""
    completed: list[Game] = []
    for game, following in zip_longest(games, games[1:]):
        completed.append(game)
        if following is None or game.score_after == following.score:
            continue
        gained = [following.score[side] - game.score[side] for side in (LEFT, RIGHT)]
        points = max(gained)
        if game.result.winner is None and min(gained) == 0 < points:
            result = replace(
                game.result,
                winner=gained.index(points),
                points=points,
                ending=Ending.SCORE,
                multiplier=min(3, -(-points // game.result.cube)),
            )
            completed[-1] = replace(game, result=result)
            findings.add("no-result", "the winner is known from the next score only", game.number)
            continue
        code = "score-back" if min(gained) < 0 else "score"
        findings.add(
            code,
            f"{score_text(game.score_after)} after the game, but the next begins at"
            f" {score_text(following.score)}",
            game.number,
        )
    return tuple(completed)


def _compare_stated_end(match: Match, *, is_stated: bool, states_over: bool) -> Iterator[Finding]:
    """Compare the final score with the words "and the match"."""
    length = match.match_length
    final = match.final_score
    if length and is_stated != (max(final) >= length) and (is_stated or states_over):
        states = "states" if is_stated else "does not state"
        message = f"the score at the end is {score_text(final)} of {length}, and the text {states}"
        yield Finding("length", f"{message} that the match is over")


def _compare_header_score(match: Match, headers: Headers, *, is_swapped: bool) -> Iterator[Finding]:
    """Compare the final score with Backgammon Galaxy's headers."""
    if match.dialect != "galaxy":
        return
    stated = [final_score(headers.get(f"player {number} elo", "")) for number in (1, 2)]
    if is_swapped:
        stated.reverse()
    left, right = stated
    if left is not None and right is not None:
        yield from compare_final(match, (left, right), "header-score", "headers give")


def compare_final(match: Match, stated: Score, code: str, source: str) -> Iterator[Finding]:
    """Compare a final score with that of the games; points above the length may be left out."""
    left, right = match.final_score
    length = match.declared_length
    if stated not in {(left, right), (min(left, length), min(right, length))}:
        yield Finding(
            code,
            f"the {source} the final score {score_text(stated)}, the games"
            f" {score_text(match.final_score)}",
        )


def _has_cube(header: str, games: Games, findings: Findings) -> bool:
    """Return whether a cube was in play: not if the headers' CubeLimit is 1 and nobody doubled."""
    if header.strip() != "1":
        return True
    for game in games:
        if any(isinstance(action, CubeAction) for action in game.actions):
            findings.add(
                "header-cube-limit", "a double, and the headers have the CubeLimit 1", game.number
            )
            return True
    findings.add(
        "no-cube",
        "no cube was in play: no cube decision is counted, and the rating has no cube part",
    )
    return False


def _outcome(
    games: Games, length: int, crawford: bool, findings: Findings
) -> tuple[Score, int | None, bool]:
    """Return final score, winner, and whether the match is complete."""
    if not games:
        findings.add("no-games", "the match has no game")
        return (0, 0), None, False
    last = games[-1]
    final = last.score_after
    if games[0].score != (0, 0):
        findings.append(_first_score(games[0], length, crawford))
    for game in games:
        if length and max(game.score) >= length:
            findings.add("match-over", "the match was over before this game", game.number)
    if last.result.winner is None:
        findings.add("unfinished", "the last game has no winner", last.number)
    leader = LEFT if final[0] > final[1] else RIGHT
    if length == 0:
        return final, None if final[0] == final[1] else leader, last.result.winner is not None
    if max(final) >= length:
        return final, leader, True
    findings.add("incomplete", f"the match ends at {score_text(final)} of {length} points")
    return final, None, False


def _first_score(game: Game, length: int, crawford: bool) -> Finding:
    """Return the finding of a record that begins in the middle of a match.

    If a player is a point away, a double shows that the Crawford game is over. Of 796 games without
    a double in which the trailer had a turn, 787 were the Crawford game.
    """
    code = "first-score"
    message = f"the first game begins at {score_text(game.score)}"
    if is_at_crawford(game.score, length):
        trailer = game.score.index(min(game.score))
        rolls = [action for action in game.actions[1:] if isinstance(action, Roll)]
        had_turn = any(roll.side == trailer for roll in rolls)
        if not crawford or (game.crawford and not had_turn):
            code = "crawford-unknown"
        elif game.crawford:
            message += ", taken for the Crawford game, since nobody doubled"
        else:
            message += ", taken as after the Crawford game"
    return Finding(code, message, game.number)
