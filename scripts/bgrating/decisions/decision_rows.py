"""The decisions of an analysed match, one row each, as bgmatch/gnubg_sgf.py reads it.

Every roll that was played has a row, so luck adds up; `unforced` is false for a play without an
alternative. Cube decisions have a row if gnubg counts them: every double, take and pass, and each
close decision not to double. Losses and counts add up to gnubg's totals of the match.
"""

from collections.abc import Container, Iterator, Sequence
from functools import lru_cache

from bgmatch import board
from bgmatch.gnubg_sgf import LETTERS, hops_of
from bgmatch.model import Hops
from bgmatch.position import CENTRE, OTHER, OWN, Position, theme, xgid
from bgmatch.records import Json, Record
from bgrating.engine.cube_decisions import Table, is_close, normalised_equities, stakes_of_both
from bgrating.engine.statistics import SIDES

DecisionId = tuple[int, int, str]
"""A decision within its match: game, ply and kind."""

_POINTS = ("off", *map(str, range(1, 25)), "bar")
# Equities of no double and of double and take, and the chances before the roll.
_Equities = tuple[float, float, Sequence[str]]
_NOT_JUDGED: Json = {"best": ""}
_THOUSANDTHS = "%.0f %.0f %.0f %.0f %.0f"


def decisions(match: Record, table: Table | None, *, every: bool = False) -> Iterator[Json]:
    """Yield the decisions of a match of bgmatch/gnubg_sgf.py in the order of play.

    They have the columns of decision_table.py.

    `table` is gnubg's match-equity table for the match's length, None for money. With `every` each
    decision not to double has a row, close or not.
    """
    for number in range(1, len(match["games"]) + 1):
        yield from _Game(match, number, table, every=every).rows()


class _Game:
    def __init__(self, match: Record, number: int, table: Table | None, *, every: bool) -> None:
        self._game = match["games"][number - 1]
        self._number = number
        self._length = length = int(match["length"])
        self._table = table
        self._every = every
        self._board = board.start()
        self._set_cube(1)
        self._owner: int | None = None
        self._doubler: int | None = None
        *before, now = [length - 1 in game["score"] for game in match["games"][:number]]
        self._crawford = length > 1 and now and not any(before)
        self._offered: _Equities | None = None

    def _set_cube(self, cube: int) -> None:
        self._cube = cube
        self._stakes = stakes_of_both(self._table, self._game["score"], cube, self._length)

    def rows(self) -> Iterator[Json]:
        rows_of = {
            "move": self._play,
            "double": self._double,
            "take": self._answer,
            "drop": self._answer,
        }
        for ply, action in enumerate(self._game["actions"], 1):
            for row in rows_of.get(action["kind"], self._set_position)(action):
                row["ply"] = ply
                row["side"] = SIDES[action["side"]]
                yield row

    def _set_position(self, action: Json) -> Iterator[Json]:
        if action["kind"] == "position":
            self._board = board.chequers(action["board"])
        # gnubg does not count the luck of a roll before a resignation either.
        return iter(())

    def _play(self, action: Json) -> Iterator[Json]:
        if "no_double" in action:
            no_double, double_take, _ = equities = self._equities(action)
            if self._every or is_close(no_double, double_take):
                gain = max(0.0, min(double_take, 1.0) - no_double)
                row = self._row(action, "double", gain, ("no double", "double"))
                yield row | self._cube_figures(equities, action["no_double"])
        side = action["side"]
        opponents = self._board[1 - side]
        points = zip(LETTERS[1 - side][1:25], opponents[1:25], strict=True)
        blots = frozenset([letter for letter, count in points if count == 1])
        letters = [action["letters"], *[play[0] for play in action.get("plays", ())]]
        played, *names = [_written(play, side, blots.intersection(play[1::2])) for play in letters]
        best = names[0] if names else played
        loss = max(0.0, action.get("error", 0.0))
        row = self._row(action, "play", loss, (played, best))
        row["unforced"] = "error" in action
        if "luck" in action:
            row["luck_emg"] = action["luck"]
            row["luck_mwc"] = action["luck"] * self._worth(side)
        row |= self._after(action, names)
        yield row
        board.make(self._board[side], opponents, action["hops"])

    def _double(self, action: Json) -> Iterator[Json]:
        self._offered = None
        loss = 0.0
        figures = _NOT_JUDGED
        if self._doubler is None:
            self._doubler = action["side"]
        else:  # a beaver
            self._set_cube(2 * self._cube)
        if "no_double" in action:
            no_double, double_take, _ = self._offered = self._equities(action)
            loss = max(0.0, no_double - min(double_take, 1.0))
            # The opponent gives the better answer.
            figures = self._cube_figures(
                self._offered, min(action["double_take"], self._stakes[action["side"]][0])
            )
        yield self._row(action, "double", loss, ("double", "no double")) | figures

    def _answer(self, action: Json) -> Iterator[Json]:
        is_take = action["kind"] == "take"
        loss = 0.0
        figures = _NOT_JUDGED
        choice = ("take", "pass") if is_take else ("pass", "take")
        if self._offered:
            _, double_take, _ = self._offered
            loss = max(0.0, double_take - 1.0 if is_take else 1.0 - double_take)
            win, lose = self._stakes[action["side"]]
            taken = (win + lose - double_take * (win - lose)) / 2.0
            figures = self._cube_figures(self._offered, taken if is_take else lose)
        yield self._row(action, choice[0], loss, choice) | figures
        if is_take and self._doubler is not None:
            self._set_cube(2 * self._cube)
            self._owner = 1 - self._doubler
        self._offered = None
        self._doubler = None

    def _equities(self, action: Json) -> _Equities:
        """Return the equities of no double and of double and take, and the chances before the
        roll.
        """
        equities = normalised_equities(action, self._stakes[action["side"]])
        return *equities, action["chances"]

    def _after(self, action: Json, names: Sequence[str]) -> Json:
        """Return the figures after a play; `names` are its candidates in players' notation."""
        if "equity" not in action:
            return {}
        chance = action["wins"]
        if self._table is not None:
            win, lose = self._stakes[action["side"]]
            chance = (win + lose + action["equity"] * (win - lose)) / 2.0
        candidates = []
        plays = action.get("plays", ())
        for name, (_, equity, _, plies) in zip(names, plays, strict=True):
            # A candidate that was judged less deeply than the best one shows its depth.
            shallower = f"@{plies}" if plies < plays[0][3] else ""
            candidates.append(f"{name} {equity:.4f}{shallower}")
        return {
            "chance": chance,
            "candidates": ";".join(candidates),
            "chances": thousandths([play[2] for play in plays]),
        }

    def _cube_figures(self, equities: _Equities, chance: float) -> Json:
        """Return the figures of a cube decision.

        A decision for money has no chance, since gnubg evaluates it in points.
        """
        no_double, double_take, chances = equities
        return {
            "no_double": no_double,
            "double_take": double_take,
            "chance": None if self._table is None else chance,
            "chances": thousandths([chances]),
        }

    def _worth(self, side: int) -> float:
        win, lose = self._stakes[side]
        return float(self._cube) if self._table is None else (win - lose) / 2.0

    def _row(self, action: Json, kind: str, loss: float, choice: tuple[str, str]) -> Json:
        """Return the row of a decision: `choice` is what was chosen, and what is best if that has a
        loss.
        """
        played, better = choice
        side = action["side"]
        score = self._game["score"][side]
        opponent_score = self._game["score"][1 - side]
        owner = {None: CENTRE, side: OWN, 1 - side: OTHER}[self._owner]
        # gnubg names the larger one first; a text may have them the other way round.
        dice = (max(action["dice"]), min(action["dice"])) if kind == "play" else None
        position = Position(
            tuple(self._board[side]),
            tuple(self._board[1 - side]),
            self._length,
            score,
            opponent_score,
            self._cube,
            owner,
            dice,
            kind in {"take", "pass"},
            self._crawford,
        )
        return {
            "game": self._number,
            "kind": kind,
            "theme": theme(position),
            "unforced": True,
            "xgid": xgid(position),
            "match_length": self._length,
            "score": score,
            "opponent_score": opponent_score,
            "cube": self._cube,
            "cube_owner": owner,
            "dice": "" if dice is None else "{}{}".format(*dice),
            "played": played,
            "best": better if loss > 0 else played,
            "loss_emg": loss,
            "loss_mwc": loss * self._worth(side),
            "luck_emg": None,
            "luck_mwc": None,
            "no_double": None,
            "double_take": None,
            "chance": None,
            "candidates": "",
            "chances": "",
        }


def thousandths(chances: Sequence[Sequence[str]]) -> str:
    """Return the chances of plays in thousandths; semicolons separate plays, blanks chances."""
    numbers = [1000 * float(chance) for of_play in chances for chance in of_play]
    return ";".join([_THOUSANDTHS] * len(chances)) % tuple(numbers)


@lru_cache(maxsize=50_000)  # the same plays come again and again
def _written(letters: str, side: int, hits: frozenset[str]) -> str:
    """Return a play that gnubg writes in letters as players write it."""
    return notation(hops_of(letters, side), set(map(LETTERS[side].index, hits)))


def notation(hops: Hops, blots: Container[int]) -> str:
    """Return a play as players write it, such as "13/7*/5 6/4(2)"; an empty play is "no play"."""
    ways: list[str] = []  # of each chequer: where it starts, and where it hits and moves on
    ends: list[int] = []
    for start, end in sorted(hops, reverse=True):
        if start not in ends:
            ways.append(_POINTS[start])
            ends.append(end)
            continue
        chequer = ends.index(start)
        if start in blots:
            ways[chequer] += f"/{_POINTS[start]}*"
        ends[chequer] = end
    for chequer, end in enumerate(ends):
        star = "*" if end in blots else ""
        ways[chequer] += f"/{_POINTS[end]}{star}"
    words = []
    for way in dict.fromkeys(ways):
        count = ways.count(way)
        words.append(f"{way}({count})" if count > 1 else way)
    return " ".join(words) or "no play"
