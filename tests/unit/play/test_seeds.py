"""Seeds: frozen for ever, since every frozen table depends on them."""

from datetime import UTC, datetime

from bgrating.play.seeds import shard_seeds


def test_the_seeds_of_a_shard_never_change() -> None:
    seeds = shard_seeds(20032, "noise-0.02+noise-0.8", "expert", 5, 3, 2)
    assert seeds.clock == datetime(2017, 6, 28, 14, 22, 53, tzinfo=UTC)
    assert seeds.dice == (314431744, 983728753)


def test_everything_that_is_played_counts() -> None:
    base = (1, "a", "b", 5, 0)
    changed = [(2, "a", "b", 5, 0), (1, "c", "b", 5, 0), (1, "a", "c", 5, 0), (1, "a", "b", 7, 0), (1, "a", "b", 5, 1)]
    clocks = {shard_seeds(*arguments, 1).clock for arguments in (base, *changed)}
    dice = {shard_seeds(*arguments, 1).dice for arguments in (base, *changed)}
    assert len(clocks) == len(dice) == 6
