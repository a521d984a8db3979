"""Read a match file: bytes in, matches out."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from bgrating.matchtext.headers import dialect, final_score, flag, is_date, iso_date, players, rated_name
from bgrating.matchtext.model import LEFT, RIGHT, CubeAction, CubeKind, Ending, Finding, Game, Match, MatchFile
from bgrating.matchtext.replay import MAX_CUBE, GameStart, replay
from bgrating.matchtext.rows import SideAction
from bgrating.matchtext.sections import MatchTextError, RawGame, RawMatch, decode, sections, swap_columns

_UNLIMITED_LABELS = {2, 4, 8, 16}
# Backgammon Galaxy writes an unlimited game as a match of one game, to the most points that it can cost
_OVER = re.compile(r"\band the match\b", re.IGNORECASE)
_STATE_OVER = {"galaxy", "xg", "playok", "gamesgrid"}
"""Programs that end every match that is played out with "and the match"."""


def read_matches(data: bytes) -> MatchFile:
    """Read all matches in the bytes of a text file.

    Raises MatchTextError, with the reason in one line, for an empty, binary or huge file, or a text without a match.
    Any other oddity becomes a finding of its match.
    """
    lines = decode(data)
    raw = sections(lines)
    if not raw:
        raise MatchTextError('no match in this text: there is no line such as "7 point match"')
    ends = [*(match.line - 1 for match in raw[1:]), len(lines)]
    texts = ["\n".join(lines[match.line - 1 : end]) for match, end in zip(raw, ends, strict=True)]
    return MatchFile(tuple(map(_match, raw, texts)))


def match_of(
    length: int,
    rules: Mapping[str, bool],
    games: Iterable[tuple[tuple[int, int], Iterable[SideAction], int | None, int]],
) -> Match:
    """Return the match of a program's file from its cells: of each game score, cells, winner, points."""
    raw = RawMatch(length, [(rule, "On" if holds else "Off") for rule, holds in rules.items()], 0)
    for number, (score, cells, winner, points) in enumerate(games, 1):
        won = [] if winner is None else [SideAction(winner, "wins", f"{points} points", 0)]
        raw.games.append(RawGame(number, 0, ("left", "right"), score, [*cells, *won]))
    return _match(raw, "")


def _match(raw: RawMatch, text: str) -> Match:
    headers = {key.casefold(): value for key, value in reversed(raw.headers)}
    date = headers.get("eventdate", "") or headers.get("date", "")
    findings = [*raw.findings, *_odd_headers(headers, date)]
    names = next((game.names for game in raw.games if game.names), None)
    if names is None:
        names = (headers.get("player 1", ""), headers.get("player 2", ""))
    program = dialect(headers, names, text)
    pair, is_swapped = players(headers, names, program)
    unlimited = program == "galaxy" and raw.length in _UNLIMITED_LABELS and len(raw.games) <= 1
    length = 0 if unlimited else raw.length
    crawford = flag(headers.get("crawford", "")) is not False
    games = _games(raw, names, length, crawford, headers.get("variation", ""), findings)
    games = _by_score(games, findings)
    final, winner, complete = _outcome(games, length, findings)
    _compare_stated_end(program, raw.length, unlimited, text, (final, complete), findings)
    _compare_header_score(headers, is_swapped, raw.length, final, findings)
    _compare_cube_limit(headers.get("cubelimit", ""), games, findings)
    for side in (LEFT, RIGHT):
        if not pair[side].name:
            findings.append(Finding("empty-name", f"the {('left', 'right')[side]} player has no name"))
    if pair[LEFT].name and pair[LEFT].name == pair[RIGHT].name:
        findings.append(Finding("same-name", f"both players are called {pair[LEFT].name!r}: counted for neither"))
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
        date=iso_date(date),
        crawford=crawford and length > 0,
        jacoby=_jacoby(headers.get("jacoby", ""), games, length, findings),
        findings=tuple(findings),
    )


def _odd_headers(headers: dict[str, str], date: str) -> Iterator[Finding]:
    for name, otherwise in (("crawford", "On"), ("jacoby", "unknown")):
        value = headers.get(name, "").strip()
        if value and flag(value) is None:
            yield Finding(name, f"the header {name.title()} is neither On nor Off but {value!r}: taken as {otherwise}")
    if not is_date(date):
        yield Finding("date", f"no such date: {date!r}, taken as {iso_date(date) or 'unknown'}")


def _games(
    raw: RawMatch, names: tuple[str, str], length: int, crawford: bool, variation: str, findings: list[Finding]
) -> tuple[Game, ...]:
    standard = variation.strip().casefold() in {"", "backgammon", "standard"}
    if not standard:
        findings.append(Finding("variation", f"not backgammon but {variation}: no play is checked"))
    out: list[Game] = []
    crawford_over = False
    seen = {names}
    for game in raw.games:
        _align(game, names, seen, findings)
        score = game.score
        if score is None:
            findings.append(Finding("no-score", "the game has no line with names and score", game.number, game.line))
            score = _after(out[-1]) if out else (0, 0)
        if game.set_position:
            message = "the game starts from a set position: no play is checked"
            findings.append(Finding("set-position", message, game.number, game.line))
        at_crawford = length > 1 and (score[0] == length - 1) != (score[1] == length - 1)
        is_crawford = crawford and at_crawford and not crawford_over
        if is_crawford and not out and any(cell.kind == "double" for cell in game.cells):
            message = "the record begins after the Crawford game, which the engine takes this one for"
            findings.append(Finding("post-crawford", message, game.number, game.line))
            is_crawford = False
        crawford_over = crawford_over or at_crawford
        begins = standard and not game.set_position
        played, odd = replay(game.cells, GameStart(game.number, score, raw.length, length == 0, is_crawford, begins))
        findings += odd
        out.append(played)
    return tuple(out)


def _jacoby(header: str, games: tuple[Game, ...], length: int, findings: list[Finding]) -> bool | None:
    """Return the Jacoby rule of a money game: from the header, else from the points of a gammon."""
    if length:
        return None
    if flag(header) is not None:
        return flag(header)
    if any(finding.code == "jacoby" for finding in findings):
        return True
    results = [game.result for game in games]
    gammons = [result for result in results if result.cube == 1 and result.multiplier > 1 and result.stated]
    return False if any(result.ending is Ending.BEAROFF for result in gammons) else None


def _align(game: RawGame, names: tuple[str, str], seen: set[tuple[str, str]], findings: list[Finding]) -> None:
    """Bring a game's columns into the match's order; some writers exchange them between games."""
    if game.names is None or game.names in seen:
        return
    if game.names == names[::-1]:
        swap_columns(game)
        return
    seen.add(game.names)
    if [rated_name(name)[0] for name in game.names] != [rated_name(name)[0] for name in names]:
        message = f"the players change to {game.names[0]!r} and {game.names[1]!r}"
        findings.append(Finding("names", message, game.number, game.line))


def _after(game: Game) -> tuple[int, int]:
    points, winner = game.result.points, game.result.winner
    return (game.score[0] + points * (winner == LEFT), game.score[1] + points * (winner == RIGHT))


def _by_score(games: tuple[Game, ...], findings: list[Finding]) -> tuple[Game, ...]:
    """Give games without a result the one that the next game's score shows, and compare the others."""
    out: list[Game] = []
    for index, game in enumerate(games):
        following = games[index + 1].score if index + 1 < len(games) else None
        if following is None or _after(game) == following:
            out.append(game)
            continue
        gained = (following[0] - game.score[0], following[1] - game.score[1])
        if game.result.winner is None and min(gained) == 0 and max(gained) > 0:
            winner, points = (LEFT, gained[0]) if gained[0] else (RIGHT, gained[1])
            multiplier = min(3, -(-points // game.result.cube))
            result = replace(game.result, winner=winner, points=points, ending=Ending.SCORE, multiplier=multiplier)
            out.append(replace(game, result=result))
            findings.append(Finding("no-result", "the winner is known from the next score only", game.number))
        else:
            out.append(game)
            after = _after(game)
            message = f"{after[0]}-{after[1]} after the game, but the next begins at {following[0]}-{following[1]}"
            findings.append(Finding("score", message, game.number))
    return tuple(out)


def _compare_stated_end(
    program: str, declared: int, unlimited: bool, text: str, end: tuple[tuple[int, int], bool], findings: list[Finding]
) -> None:
    (left, right), complete = end
    stated_over = _OVER.search(text) is not None
    if not declared or unlimited or stated_over == complete or not (stated_over or program in _STATE_OVER):
        return
    message = f"the score at the end is {left}-{right} of {declared}, and the text "
    message += "states that the match is over" if stated_over else "does not state that the match is over"
    findings.append(Finding("length", message))


def _compare_header_score(
    headers: dict[str, str], is_swapped: bool, declared: int, final: tuple[int, int], findings: list[Finding]
) -> None:
    """Compare the final score with Backgammon Galaxy's headers, where points above the length may be left out."""
    if "galaxy" not in headers.get("site", "").casefold():
        return
    stated = [final_score(headers.get(f"player {number} elo", "")) for number in (1, 2)]
    left, right = stated[::-1] if is_swapped else stated
    if left is None or right is None or (left, right) in {final, (min(final[0], declared), min(final[1], declared))}:
        return
    message = f"the headers give the final score {left}-{right}, the games {final[0]}-{final[1]}"
    findings.append(Finding("header-score", message))


def _compare_cube_limit(header: str, games: tuple[Game, ...], findings: list[Finding]) -> None:
    """Compare the cube with the headers' largest one."""
    limit = int(header) if header.strip().isdecimal() else MAX_CUBE
    for game in games:
        doubles = (one for one in game.actions if isinstance(one, CubeAction) and one.kind is CubeKind.DOUBLE)
        above = next((one for one in doubles if one.value > limit), None)
        if above is not None:
            message = f"a double to {above.value}, and the headers have the CubeLimit {limit}"
            findings.append(Finding("header-cube-limit", message, game.number, above.line))
            return


def _outcome(games: tuple[Game, ...], length: int, findings: list[Finding]) -> tuple[tuple[int, int], int | None, bool]:
    if not games:
        findings.append(Finding("no-games", "the match has no game"))
        return (0, 0), None, False
    final = _after(games[-1])
    if games[0].score != (0, 0):
        message = f"the first game begins at {games[0].score[0]}-{games[0].score[1]}"
        findings.append(Finding("first-score", message, games[0].number))
    for game in games:
        if length and max(game.score) >= length:
            findings.append(Finding("match-over", "the match was over before this game", game.number))
    if all(game.result.winner is None for game in games[-1:]):
        findings.append(Finding("unfinished", "the last game has no winner", games[-1].number))
    if length == 0:
        winner = None if final[0] == final[1] else LEFT if final[0] > final[1] else RIGHT
        return final, winner, games[-1].result.winner is not None
    complete = max(final) >= length
    if not complete:
        findings.append(Finding("incomplete", f"the match ends at {final[0]}-{final[1]} of {length} points"))
    return final, (LEFT if final[0] > final[1] else RIGHT) if complete else None, complete
