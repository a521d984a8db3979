"""Rate a tournament's players, keep a match of every pair, take over another machine's shards, or test `decide`.

Settings: those of `./run tournament`. What each rule reads and writes: rules/tournament.smk.
"""

from pathlib import Path

from bgrating.entry import reporting
from bgrating.play.matches import read_checked
from bgrating.tables.provenance import one_provenance, read_provenance
from bgrating.tournament.design import tournament


def rate(table: Path) -> None:
    from bgrating.tournament.tables import write_tables  # noqa: PLC0415

    facts = read_provenance(table)
    kept = ("engine", "match_equity_table", "noise_mode", "analysis", "study_seed", "sides")
    about = {"matches_sha256": facts["sha256"], **{name: facts[name] for name in kept if name in facts}}
    with one_provenance(Path(snakemake.output.provenance)):
        settings = {**snakemake.config, "name": snakemake.wildcards.tournament}
        write_tables(read_checked(table), tournament(settings), table.parent, snakemake.config["nets"], about)


def take_over() -> None:
    """Take over the shards of the same tournament that another machine has played: merge=DIR, its folder."""
    from bgrating.engine.nets import results_dir  # noqa: PLC0415
    from bgrating.settings import SettingsError  # noqa: PLC0415
    from bgrating.tournament.played import merge  # noqa: PLC0415

    if "merge" not in snakemake.config:
        raise SettingsError("no folder to merge: ./run tournament_merge --config merge=DIR")
    for line in merge(
        tournament(snakemake.config).design, results_dir(snakemake.config), Path(snakemake.config["merge"])
    ):
        print(line)


def test_decide(frozen: Path, part1: Path, path: Path) -> None:
    """Measure how often the test of `decide` errs, and how many matches it takes, on simulated tournaments."""
    from bgrating.tables.tables import write_table  # noqa: PLC0415
    from study.decision_errors import SEED, every_error_rate  # noqa: PLC0415

    table = every_error_rate(read_checked(frozen), read_checked(part1), snakemake.params.runs)
    sums = [read_provenance(matches)["sha256"] for matches in (frozen, part1)]
    write_table(table, path, "tournament/decision_errors", matches_sha256=sums, seed=SEED)
    print(f"{table.T.to_string(header=False)}\nTable: {path}")


with reporting(snakemake.log[0]):
    match snakemake.params.step:
        case "rate":
            rate(Path(snakemake.input.matches))
        case "examples":
            from bgrating.tournament.played import keep_examples

            archives = [Path(archive) for archive in snakemake.input.archives]
            keep_examples({archive.parent.name: archive for archive in archives}, Path(snakemake.output.examples))
        case "merge":
            take_over()
        case "decide":
            test_decide(Path(snakemake.input.matches), Path(snakemake.input.part1), Path(snakemake.output.table))
