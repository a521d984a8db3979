"""Write a match as a clean text for the engine, and compute the key of its content."""

import hashlib
import re
from collections.abc import Iterator, Sequence

from bgmatch.days import UNKNOWN
from bgmatch.errors import WriteError
from bgmatch.model import (
    LEFT,
    RIGHT,
    CubeAction,
    CubeKind,
    Game,
    GameResult,
    Match,
    Names,
    Roll,
    Verdict,
    is_at_crawford,
    notation,
    score_text,
)
from bgmatch.snowie import write_position

MAX_LENGTH = 64
"""gnubg refuses longer matches."""

_LEFT_WIDTH = 32
_NAME = re.compile(r"(?!\s)[^:;,\x00-\x1f\x7f-\x9f\u2028\u2029]+(?<!\s)")


def playable_games(match: Match) -> tuple[Game, ...]:
    """Return the games that an engine can read.

    They have a known action, and began before the match was won.
    """
    length = match.match_length
    return tuple(
        game for game in match.games if game.known and (length == 0 or max(game.score) < length)
    )


def games_of_engine(match: Match) -> tuple[Game, ...]:
    """Return the games of the engine's text.

    They are the playable ones, after an empty Crawford game if that was played before. gnubg takes
    the first game in which a side is a point away for the Crawford game.
    """
    games = playable_games(match)
    if (
        not games
        or not match.crawford
        or games[0].crawford
        or not is_at_crawford(games[0].score, match.match_length)
    ):
        return games
    return Game(0, games[0].score, True, (), 0, GameResult()), *games


def write_mat(match: Match, names: Names = ("left", "right")) -> str:
    """Return the text that gnubg reads: numeric notation, a date always present.

    If the board of a game becomes unknown, only the part before that is written. It has no winner,
    because the cube may have another value by the end. An illegal play is written as the position
    after it. A position that was set by hand is written as that after a roll of 21. The caller sets
    the rules that the text cannot carry (``match.jacoby``, ``match.crawford``) before the import. A
    match without playable games gives a text without games.

    Parameters
    ----------
    match
        The match to write.
    names
        Names for left and right: different, not empty, without colon, semicolon or comma. With the
        default names the text is plain ASCII. Write other names as UTF-8.

    Raises
    ------
    WriteError
        The names are unfit, or the match is longer than gnubg's 64 points. It is a ValueError too.
    """
    if names[0] == names[1] or not all(map(_NAME.fullmatch, names)):
        raise WriteError(
            f"names must differ, not be empty, and have no colon, semicolon or comma: {names!r}"
        )
    if match.match_length > MAX_LENGTH:
        raise WriteError(
            f"gnubg reads matches up to {MAX_LENGTH} points, this one has {match.match_length}"
        )
    date = f"{match.date or UNKNOWN}-01-01"[:10].replace("-", ".")
    lines = [f'; [EventDate "{date}"]']
    if not match.cube:
        lines.append('; [CubeLimit "1"]')
    lines += ["", f" {match.match_length} point match", ""]
    for number, game in enumerate(games_of_engine(match), 1):
        head = f" {names[0]} : {game.score[0]}"
        lines += [f" Game {number}", f"{head:<{_LEFT_WIDTH}} {names[1]} : {game.score[1]}"]
        lines += [*_rows(game, match.match_length, names), *_result(game, match.match_length), ""]
    return "\n".join(lines) + "\n"


# Every row keeps the blanks of its empty right cell. In a line of up to 15 characters without a
# roll, such as "  2)  Drops", gnubg reads the right cell of the row before again.
def _rows(game: Game, length: int, names: Names) -> list[str]:
    rows: list[list[str]] = []
    cube = 1
    for action in game.actions[: game.known]:
        if isinstance(action, CubeAction):
            text = f" {action.kind.title()}s"
            if action.kind not in {CubeKind.TAKE, CubeKind.DROP}:
                text += f" => {action.value}"
            elif action.kind is CubeKind.TAKE:
                cube = action.value
        else:
            play = notation(action.hops)
            if action.position:
                play = write_position(action.position, action.side, length, names, game.score, cube)
            text = f"{action.dice[0]}{action.dice[1]}: {play}".rstrip()
        if action.side == RIGHT and rows and not rows[-1][RIGHT]:
            rows[-1][RIGHT] = text
        else:
            rows.append([text, ""] if action.side == LEFT else ["", text])
    return [
        f"{n:3d}) {left:<{_LEFT_WIDTH - 5}}  {right}" for n, (left, right) in enumerate(rows, 1)
    ]


def _result(game: Game, length: int) -> list[str]:
    winner = game.result.winner
    if winner is None or game.known < len(game.actions):
        return []
    points = game.result.multiplier * game.result.cube
    text = f"Wins {points} point{'s' * (points != 1)}"
    if 0 < length <= game.score[winner] + points:
        text += " and the match"
    if winner == LEFT:
        return [f"{'':6}{text:<{_LEFT_WIDTH}}"]
    return [f"{'':{_LEFT_WIDTH + 2}}{text}"]


def content_key(match: Match) -> str:
    """Return a hash of rolls, plays and cube actions; empty for a match without a roll.

    Two files of one match have the same key. It ignores headers, names, the players' columns, and
    games without an action. The first side is the one that rolled first.
    """
    first = first_roller(match.games)
    if first is None:
        return ""
    lines = []
    for game in match.games:
        line = " ".join(f"{side ^ first}{token}" for side, token in _tokens(game))
        if line:
            lines.append(line)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def first_roller(games: Sequence[Game]) -> int | None:
    """Return the side that rolled first in a match; None if no side rolled."""
    for game in games:
        for action in game.actions:
            if isinstance(action, Roll) and action.verdict is not Verdict.SET:
                return action.side
    return None


def moves(games: Sequence[Game]) -> list[str]:
    """Return each game as tokens: the score before it, then all actions in order.

    The score has the first roller's points first.
    """
    lines = []
    for game in games:
        score = game.score[::-1] if first_roller([game]) == RIGHT else game.score
        lines.append(" ".join([score_text(score), *(token for _, token in _tokens(game))]))
    return lines


def _tokens(game: Game) -> Iterator[tuple[int, str]]:
    """Yield side and token of every action except rolls without a play at the end."""
    for action in game.actions:
        token = action.token if isinstance(action, Roll) else action.kind
        if token:
            yield action.side, token
