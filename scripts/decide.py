"""Play two levels until it is settled whether the first is stronger.

Settings: engine, nets, time_limit_minutes; levels=NEW,OLD, match_length, better, alpha, beta, most, name, seed.
Outputs: decision.csv with its provenance, summary.txt; the shards that it plays stand where a tournament's do.
"""

from dataclasses import asdict
from pathlib import Path

from bgrating.engine.choice import engine_of
from bgrating.engine.nets import of_run
from bgrating.entry import reporting
from bgrating.play.shards import limits_of
from bgrating.tables.provenance import read_provenance, replace
from bgrating.tables.tables import write_table
from bgrating.tournament.duel import decide, duel, engine_play, summary

with reporting(snakemake.log[0]):
    found = duel(snakemake.config, of_run(snakemake.config))
    play = engine_play(engine_of(snakemake.config), found, limits_of(snakemake.config, snakemake.log[0]))
    table = decide(found, play, snakemake.threads)
    path = Path(snakemake.output.table)
    shard = read_provenance(found.rounds()[0][0][2])
    facts = {"levels": found.levels, "study_seed": found.tournament.design.seed, **asdict(found.asked)}
    write_table(table, path, "tournament/decision", **facts, engine=shard["engine"], analysis=shard["analysis"])
    replace(Path(snakemake.output.summary), summary(found, table, str(path)))
