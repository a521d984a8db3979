"""How exactly a replay of frozen matches gives their rows."""

import pandas as pd

# The matches of 1.07.001 were frozen from figures in single precision; today's are read from a text with six decimals,
# and a match adds up those of its games.
DECIMALS = 1e-6
MOST_GAMES = 45


def assert_played_again(again: pd.DataFrame, frozen: pd.DataFrame, nets: str) -> None:
    """Compare replayed rows with frozen ones: exactly, and with 1.07.001 to the decimals of the text.

    A cube decision whose last decimal decides whether it is close may count otherwise, in one match at most.
    """
    expected = frozen.reset_index(drop=True)
    if nets == "1.07.001":
        close = [name for name in expected.columns if "close_cube_decisions" in name]
        apart = (again[close].to_numpy() != expected[close].to_numpy()).any(axis=1)
        assert apart.sum() <= 1
        assert (again[close] - expected[close]).abs().to_numpy().max() <= 1
        again = again.assign(**{name: expected[name] for name in close})
    exact = {"check_exact": True} if nets != "1.07.001" else {"rtol": 0.0, "atol": MOST_GAMES * DECIMALS / 2}
    pd.testing.assert_frame_equal(again.astype(expected.dtypes), expected, **exact)
