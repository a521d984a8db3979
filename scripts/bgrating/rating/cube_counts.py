"""Error rates, and the denominators of the cube error rate.

A rate is a total of errors over a total of decisions. Tables and formula files name the count in
`epc_definition`; the name of its rate heads columns.
"""

from typing import NamedTuple


class Count(NamedTuple):
    """A count that cube errors are divided by.

    `rate` names the rate, `per` the column of the count; `short` and `description` say it in words.
    `option` is its name in the calculator; empty if the calculator does not offer it.
    """

    rate: str
    per: str
    short: str
    description: str
    option: str = ""


COUNTS: dict[str, Count] = {
    "today": Count(
        "epc",
        "close_cube_decisions",
        "per close cube decision (EPC)",
        "EPC is cube error per close or actual cube decision, as gnubg counts them today",
        "close",
    ),
    "2003": Count(
        "epc_2003",
        "close_cube_decisions_2003",
        "per close cube decision by the rule of 2003",
        "EPC is cube error per close or actual cube decision by the rule of 2003",
    ),
    "moves": Count(
        "cube_per_move",
        "unforced_moves",
        "per unforced move",
        "The cube error is divided by unforced moves, as EPM is",
        "move",
    ),
}
OPTIONS = {count.option: count for count in COUNTS.values() if count.option}
"""The counts that the calculator takes; the first is the default."""
