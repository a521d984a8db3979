"""Analyse the matches of a shard: a table of one row per match and player, and its record."""

from pathlib import Path

from bgrating.analysis import ANALYSIS
from bgrating.engine.locate import engine_of
from bgrating.play.shards import analyse_archive, limits_of
from bgrating.tables.provenance import verified
from study.asked import Asked
from study.custody import cell_of, made_of, require_cell


def run(
    asked: Asked,
    log: str,
    study: str,
    match_length: str,
    player: str,
    opponent: str,
    shard: str,
    archive: str,
    out: str,
) -> None:
    """Analyse an archive of the shard that the wildcards name. Raises CustodyError if it holds another one."""
    path, table = Path(archive), Path(out)
    facts = verified(path)
    require_cell(path, facts, asked.task(study, asked.shard(study, player, opponent, match_length, shard)))
    analyse_archive(
        engine_of(asked.config),
        asked.design(study).analysis_level(),
        path,
        table,
        limits_of(asked.config, log),
        unfinished=frozenset(forfeit["match"] for forfeit in facts.get("forfeits", ())),
        about={"cell": cell_of(facts), "figures": ANALYSIS, **made_of(table, {path: facts["sha256"]})},
    )
