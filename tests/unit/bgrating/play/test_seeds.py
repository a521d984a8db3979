"""Seeds: frozen for ever, since every frozen table depends on them."""

from datetime import UTC, datetime

from bgrating.play.seeds import shard_seeds


def test_the_seeds_of_a_shard_never_change() -> None:
    seeds = shard_seeds(20032, "noise-0.02+noise-0.8", "expert", 5, 3, 2)
    assert seeds.clock == datetime(2017, 6, 28, 14, 22, 53, tzinfo=UTC)
    assert seeds.dice == (314431744, 983728753)
