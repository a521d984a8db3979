"""Fuse players that differ only in a number, such as the training steps of a network, to a few steps."""

import bisect
import re
from collections.abc import Iterable, Sequence

import pandas as pd

from bgrating.ratings.games import RatingsError

_NUMBERED = re.compile(r"([^\W\d]+)(\d+)((?:-.*)?)")


def fused_names(names: Iterable[str], steps: Sequence[int]) -> dict[str, str]:
    """Map names such as azero12345 or azero12345-t1 to the first step at or above their number (azero20000).

    A number is a step where the same name stands with other numbers too, or where it reaches the least step above 0:
    the 2 of a lone minimax2 belongs to the name. Numbers beyond the last step, and other names, stay as they are.
    """
    if not steps or list(steps) != sorted(set(steps)) or steps[0] < 0:
        raise RatingsError(f"fuse={','.join(map(str, steps))}: the steps must be whole numbers, rising")
    names = list(names)
    parsed = {name: found for name in names if (found := _NUMBERED.fullmatch(name))}
    numbers: dict[tuple[str, str], set[int]] = {}
    for found in parsed.values():
        numbers.setdefault((found[1], found[3]), set()).add(int(found[2]))
    least = next((step for step in steps if step > 0), 0)
    answer = {name: name for name in names}
    for name, found in parsed.items():
        number = int(found[2])
        place = bisect.bisect_left(steps, number)
        if place < len(steps) and (len(numbers[found[1], found[3]]) > 1 or number >= least):
            answer[name] = f"{found[1]}{steps[place]}{found[3]}"
    return answer


def fused(games: pd.DataFrame, steps: Sequence[int]) -> tuple[pd.DataFrame, int]:
    """Fuse the players of a table of games; return the table and how many games became self-games and were dropped."""
    new = fused_names(set(games["first"]) | set(games["second"]), steps)
    joined = games.assign(first=games["first"].map(new), second=games["second"].map(new))
    alone = joined["first"] == joined["second"]
    return joined[~alone].reset_index(drop=True), int(joined.loc[alone, "count"].sum())
