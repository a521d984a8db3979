"""Tables of the decisions of very many matches."""

import pandas as pd

from bgrating.decisions.decision_table import (
    MATCHES_TOGETHER,
    SCHEMA,
    decisions_of,
    decisions_together,
    packed,
)

MATCHES = 2_000


def test_many_short_matches_are_few_pieces_in_their_order() -> None:
    """Of 20,000 matches with a few decisions each, pieces of their own took 200 MB."""
    one = packed(
        {name: [None, None] for name in SCHEMA.names} | {"side": ["left", "right"], "game": [1, 2]}
    )
    files = [f"{number}.mat" for number in range(MATCHES) for _ in range(2)]
    sides = ["left", "right"] * MATCHES
    matches = pd.DataFrame(
        {"key": "k", "file": files, "match": 1, "side": sides, "player": "ann", "opponent": "bob"}
    )
    table = decisions_of(decisions_together(matches, lambda _: one, lambda *_: {}))
    assert table.column("file").to_pylist() == files
    assert table.column("player").to_pylist() == ["ann", "bob"] * MATCHES
    assert table.column("theme").num_chunks <= MATCHES / MATCHES_TOGETHER + 1
