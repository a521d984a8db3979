"""A match as a clean text for the engine, and a key that is equal for two texts of the same match."""

import hashlib
from collections.abc import Iterator, Sequence
from functools import lru_cache

from bgrating.matchtext import board
from bgrating.matchtext.model import LEFT, RIGHT, CubeAction, CubeKind, Game, Hops, Match, Roll, Verdict
from bgrating.matchtext.rows import play_text
from bgrating.matchtext.snowie import write_position

UNKNOWN_DATE = "1900.01.01"
"""Written for a match without a date, since gnubg would take the file's own."""

MAX_LENGTH = 64
"""gnubg refuses longer matches."""

_LEFT_WIDTH = 32
_CUBE_WORDS = {
    CubeKind.DOUBLE: "Doubles",
    CubeKind.BEAVER: "Beavers",
    CubeKind.RACCOON: "Raccoons",
    CubeKind.TAKE: "Takes",
    CubeKind.DROP: "Drops",
}


def playable_games(match: Match) -> tuple[Game, ...]:
    """Return the games an engine can read: with a known action, and begun before a side had all its points."""
    length = match.match_length
    return tuple(game for game in match.games if game.known and (length == 0 or max(game.score) < length))


def write_mat(match: Match, names: tuple[str, str] = ("left", "right")) -> str:
    """Return the text for gnubg: plain ASCII, numeric notation, a date always present.

    ``names`` must be different, not empty, plain ASCII, without colon, semicolon or comma. Names of people belong into
    tables, not into an engine's input. If the board of a game becomes unknown, only the part before that is written,
    without a winner: the cube may have another value by the end. An illegal play is written as the position after it.
    Rules that the text cannot carry (``match.jacoby``, ``match.crawford``) must be set before the import. A match
    without playable games gives a text without games.

    Raises ValueError for unfit names and for matches longer than gnubg's 64 points.
    """
    if not _fit(names[0]) or not _fit(names[1]) or names[0] == names[1]:
        raise ValueError(f"names for the engine must be two different plain words: {names!r}")
    if match.match_length > MAX_LENGTH:
        raise ValueError(f"gnubg reads matches up to {MAX_LENGTH} points, this one has {match.match_length}")
    date = (match.date.replace("-", ".") + ".01.01")[:10] if match.date else UNKNOWN_DATE
    lines = [f'; [EventDate "{date}"]', "", f" {match.match_length} point match", ""]
    for number, game in enumerate(playable_games(match), 1):
        head = f" {names[0]} : {game.score[0]}"
        lines += [f" Game {number}", f"{head:<{_LEFT_WIDTH}} {names[1]} : {game.score[1]}"]
        lines += [*_rows(game, match.match_length, names), *_result(game, match.match_length), ""]
    return "\n".join(lines) + "\n"


def _fit(name: str) -> bool:
    return name.isascii() and name.isprintable() and bool(name) and name == name.strip() and not set(name) & set(":;,")


# Every row keeps the blanks of its empty right cell. In a line of up to 15 characters without a roll gnubg
# reads the right cell of the row before once more. An example is "  2)  Drops".
def _rows(game: Game, length: int, names: tuple[str, str]) -> list[str]:
    rows: list[list[str]] = []
    cube = 1
    for action in game.actions[: game.known]:
        if isinstance(action, CubeAction):
            text = " " + _CUBE_WORDS[action.kind]
            if action.kind not in {CubeKind.TAKE, CubeKind.DROP}:
                text += f" => {action.value}"
            elif action.kind is CubeKind.TAKE:
                cube = action.value
        else:
            text = _roll(action, length, names, game.score, cube)
        if action.side == RIGHT and rows and not rows[-1][RIGHT]:
            rows[-1][RIGHT] = text
        else:
            rows.append([text, ""] if action.side == LEFT else ["", text])
    return [f"{n:3d}) {left:<{_LEFT_WIDTH - 5}}  {right}" for n, (left, right) in enumerate(rows, 1)]


def _roll(roll: Roll, length: int, names: tuple[str, str], score: tuple[int, int], cube: int) -> str:
    dice = f"{roll.dice[0]}{roll.dice[1]}:"
    if roll.verdict is Verdict.ILLEGAL and roll.position:
        return f"{dice} {write_position(roll.position, roll.side, length, names, score, cube)}"
    return " ".join([dice, *(f"{source}/{target}" for source, target in roll.hops)])


def _result(game: Game, length: int) -> list[str]:
    if game.result.winner is None or game.known < len(game.actions):
        return []
    points = game.result.multiplier * game.result.cube
    text = f"Wins {points} point" + ("s" if points != 1 else "")
    if 0 < length <= game.score[game.result.winner] + points:
        text += " and the match"
    return [f"{'':6}{text:<{_LEFT_WIDTH}}" if game.result.winner == LEFT else f"{'':{_LEFT_WIDTH + 2}}{text}"]


def content_key(match: Match) -> str:
    """Return a hash of rolls, plays and cube actions, or an empty string for a match without a roll.

    It ignores headers, names and the players' columns. The first side is the one that rolled first.
    """
    first = first_roller(match.games)
    if first is None:
        return ""
    lines = (" ".join(f"{side ^ first}{word}" for side, word in _words(game)) for game in match.games)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def first_roller(games: Sequence[Game]) -> int | None:
    """Return the side that rolled first in a match; None without a roll."""
    return next((action.side for game in games for action in game.actions if isinstance(action, Roll)), None)


def moves(games: Sequence[Game]) -> list[str]:
    """Return each game as words: the score before it, that of who rolls first in front, then all actions in order.

    A word of a roll has the dice and a letter for each point that a chequer left, then for each that it came to. The
    points where it hit and went on come after a star.
    """
    out = []
    for game in games:
        score = game.score[::-1] if first_roller([game]) == RIGHT else game.score
        out.append(" ".join(["{}-{}".format(*score), *(word for _, word in _words(game))]))
    return out


def _words(game: Game) -> Iterator[tuple[int, str]]:
    """Yield side and word of every action, whatever the notation, the order of the dice and the hops of a play.

    Rolls that ended a game without a play are left out, since not every program writes them.
    """
    sides = board.start()
    for index, action in enumerate(game.actions):
        if not isinstance(action, Roll):
            yield action.side, action.kind
        elif action.verdict is not Verdict.RESIGNED:
            own, other = sides[action.side], sides[1 - action.side]
            if index >= game.known:
                play = play_text(action.written)
                points = _net(play.moves) if play.kind != "garbled" else "?" + "".join(action.written.lower().split())
            elif action.position:
                sides = (list(action.position[0]), list(action.position[1]))
                left = [n for n in range(26) for _ in range(own[n] - sides[action.side][n])]
                reached = [n for n in range(26) for _ in range(sides[action.side][n] - own[n])]
                points = _letters(left, reached)
            else:
                before = other.copy()
                board.make(own, other, action.hops)
                points = _net(action.hops)
                if other != before and (
                    passed := [25 - n for n in range(1, 25) if other[n] < before[n] and not own[25 - n]]
                ):
                    points += "*" + _letters(passed, ())
            yield action.side, f"{max(action.dice)}{min(action.dice)}{points}"


@lru_cache(maxsize=50_000)  # the same plays come again and again
def _net(hops: Hops) -> str:
    left, reached = [source for source, _ in hops], []
    for _, target in hops:
        if target in left:
            left.remove(target)
        else:
            reached.append(target)
    return _letters(left, reached)


def _letters(left: Sequence[int], reached: Sequence[int]) -> str:
    return "".join(chr(ord("a") + point) for points in (left, reached) for point in sorted(points, reverse=True))
