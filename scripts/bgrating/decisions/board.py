"""A position as a picture (SVG) that needs no colour.

The one who decides has filled chequers and plays from the top right round to the bottom right, the points counted as
his; cube, dice, pips, score and chequers off are written out. No library that is kept up draws one from Python. The
picture takes the page's colours (`--ink`, `--paper`), so it follows a dark page, and holds nothing but numbers.
"""

from collections.abc import Iterator

from bgrating.decisions.position import CENTRE, OWN, Position

_POINT, _BAR, _TRAY, _HALF, _RIM = 26, 28, 56, 132, 14
_WIDTH = 12 * _POINT + _BAR + _TRAY + 8
_HEIGHT = 2 * _HALF + 22 + 2 * _RIM
_RADIUS = 12
_STEP = 24
_BAR_POINT = 25
_RIGHT = 4 + 12 * _POINT + _BAR
_MOST = 5
"""Chequers of a pile that are drawn; a larger pile has its number on the last."""


def read_xgid(text: str) -> Position:
    """Return the position of an XGID that `position.xgid` wrote: the player who decides is at the bottom."""
    places, cube, owner, turn, rolled, score, other_score, rule, length, _ = text.removeprefix("XGID=").split(":")
    own = [0] * 26
    other = [0] * 26
    for point, letter in enumerate(places):
        if letter.isupper():
            own[point] = ord(letter) - ord("A") + 1
        elif letter != "-":
            other[25 - point] = ord(letter) - ord("a") + 1
    own[0], other[0] = 15 - sum(own), 15 - sum(other)
    thrown = (int(rolled[0]), int(rolled[1])) if rolled.isdigit() and rolled != "00" else None
    whose = {"0": CENTRE, "1": OWN}.get(owner, "other")
    is_match = length != "0"
    return Position(
        tuple(own), tuple(other), int(length), int(score), int(other_score), 2 ** int(cube), whose, thrown,
        turn == "-1", is_match and rule == "1", not is_match and rule == "1",
    )  # fmt: skip


def words(position: Position) -> str:
    """Return the position in words, for those who cannot see the picture."""
    own, other = (_listed(side) for side in (position.own, position.other))
    at = f"{position.score}-{position.other_score} to {position.length}" if position.length else "money"
    cube = f"cube {position.cube}, {'centred' if position.owner == CENTRE else f'{position.owner} side'}"
    asked = "answers a double" if position.doubled else "to roll or double"
    does = "rolled {}{}".format(*position.dice) if position.dice else asked
    return f"Player {does}; has {own}; opponent has {other}; {cube}; score {at}{', Crawford' * position.crawford}."


def svg(position: Position, *, shared: bool = False) -> str:
    """Return the picture; with `shared` it takes the empty board from the page, which holds `frame()` once."""
    empty = '<use href="#empty-board"/>' if shared else _frame()
    space = "" if shared else ' xmlns="http://www.w3.org/2000/svg"'  # a page knows what SVG is
    return (
        f'<svg class="board" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img"{space}>'
        f"<title>{words(position)}</title>{empty}{''.join(_parts(position))}</svg>"
    )


def frame() -> str:
    """Return the empty board for pictures that share it."""
    return f'<svg class="shared" aria-hidden="true"><symbol id="empty-board">{_frame()}</symbol></svg>'


def _listed(side: tuple[int, ...]) -> str:
    names = {25: "the bar", 0: "off"}
    return ", ".join(
        f"{side[p]} on {p}" if p not in names else f"{side[p]} {names[p]}" for p in range(25, -1, -1) if side[p]
    )


def _place(point: int) -> tuple[float, bool]:
    """Return the middle of a point as the player who decides counts it, and whether it is in the upper half."""
    upper = point > 12
    column = point - 13 if upper else 12 - point
    return 4 + column * _POINT + _POINT / 2 + (_BAR if column >= 6 else 0), upper


def _frame() -> str:
    top, bottom, middle = _RIM, _HEIGHT - _RIM, 4 + 6 * _POINT
    parts = [
        f'<rect class="frame" x="4" y="{top}" width="{_RIGHT - 4}" height="{bottom - top}"/>',
        f'<rect class="bar" x="{middle}" y="{top}" width="{_BAR}" height="{bottom - top}"/>',
    ]
    for point in range(1, 25):
        x, upper = _place(point)
        edge, tip = (top, top + 100) if upper else (bottom, bottom - 100)
        shade = "dark" if point % 2 else "pale"
        parts.append(f'<path class="{shade}" d="M{x - _POINT / 2:g} {edge}L{x:g} {tip}L{x + _POINT / 2:g} {edge}z"/>')
        parts.append(f'<text x="{x:g}" y="{_RIM - 4 if upper else _HEIGHT - 3}">{point}</text>')
    return "".join(parts)


def _parts(position: Position) -> Iterator[str]:
    places: dict[str, list[str]] = {"own": [], "other": []}
    counts = []
    for kind, chequers in (("own", position.own), ("other", position.other)):
        for point in range(1, 26):
            count = chequers[point]
            # On the bar one chequer stands for all.
            spots = list(_spots(point if kind == "own" or point == _BAR_POINT else 25 - point, count, kind))
            places[kind] += _pile(spots)
            if count > len(spots):
                x, y = spots[-1]
                counts.append(f'<text class="on-{kind}" x="{x:g}" y="{y + 4:g}">{count}</text>')
    # A chequer is a line without length and with round ends: a tenth of the bytes of a circle.
    yield f'<path class="own" d="{"".join(places["own"])}"/>'
    yield f'<path class="other" d="{"".join(places["other"])}"/><path class="inner" d="{"".join(places["other"])}"/>'
    yield "".join(counts)
    yield from _side(position, _RIGHT, _HEIGHT / 2)


def _pile(spots: list[tuple[float, float]]) -> Iterator[str]:
    """Yield the path of a pile: where its first chequer is, and the step to each further one, which is shorter."""
    for number, (x, y) in enumerate(spots):
        yield f"m0 {y - spots[number - 1][1]:g}h0" if number else f"M{x:g} {y:g}h0"


def _spots(point: int, count: int, kind: str) -> Iterator[tuple[float, float]]:
    """Yield where the chequers of a pile are drawn; `point` as the player who decides counts it, 25 either bar."""
    if point == _BAR_POINT:
        if count:
            yield 4 + 6 * _POINT + _BAR / 2, _HEIGHT / 2 + (34 if kind == "own" else -34)
        return
    x, upper = _place(point)
    for number in range(min(count, _MOST)):
        away = _RIM + _RADIUS + 1 + number * _STEP
        yield x, away if upper else _HEIGHT - away


def _side(position: Position, right: float, centre: float) -> Iterator[str]:
    """Yield what stands in the tray: chequers off and scores of both, the cube at its owner's side; and the dice."""
    x = right + _TRAY / 2 + 2
    own_pips, other_pips = position.pips
    away = (position.length - position.score, position.length - position.other_score)
    for y, off, pips, score in (
        (_HEIGHT - _RIM - 34, position.own[0], own_pips, away[0]),
        (_RIM + 12, position.other[0], other_pips, away[1]),
    ):
        points = f"{score} away" if position.length else "money"
        for line, text in enumerate((f"{off} off", f"{pips} pips", points)):
            yield f'<text x="{x:g}" y="{y + 14 * line:g}">{text}</text>'
    shift = {CENTRE: 0, OWN: 52}.get(position.owner, -52)
    value = 2 * position.cube if position.doubled else position.cube
    if position.doubled:
        shift = -14  # offered: between the middle and the opponent who turned it
    if position.crawford:
        yield f'<text x="{x:g}" y="{centre + 4:g}">Crawford</text>'
    else:
        yield f'<rect class="cube" x="{x - 13:g}" y="{centre + shift - 13:g}" width="26" height="26"/>'
        # A cube that was never turned shows 64, as on the table.
        shown = 64 if value == 1 else value
        yield f'<text class="value" x="{x:g}" y="{centre + shift + 5:g}">{shown}</text>'
    if position.dice:
        for number, die in enumerate(position.dice):
            at = 4 + 9 * _POINT + _BAR + (number - 0.5) * 32
            yield f'<rect class="die" x="{at - 11:g}" y="{centre - 11:g}" width="22" height="22" rx="3"/>'
            yield f'<text class="value" x="{at:g}" y="{centre + 5:g}">{die}</text>'
    elif position.doubled:
        yield f'<text x="{4 + 9 * _POINT + _BAR}" y="{centre + 5:g}">doubled to {value}</text>'
