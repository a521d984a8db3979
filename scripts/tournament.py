"""Rate a tournament's players, or test `decide`.

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


def test_decide(frozen: Path, part1: Path, path: Path) -> None:
    """Measure how often the test of `decide` errs, and how many matches it takes, on simulated tournaments."""
    from bgrating.tables.tables import write_table  # noqa: PLC0415
    from study.decision_errors import SEED, every_error_rate  # noqa: PLC0415

    table = every_error_rate(read_checked(frozen), read_checked(part1), snakemake.params.runs)
    sums = [read_provenance(matches)["sha256"] for matches in (frozen, part1)]
    write_table(table, path, "tournament/decision_errors", matches_sha256=sums, seed=SEED)
    print(f"{table.T.to_string(header=False)}\nTable: {path}")


def play_money(path: Path, games: int) -> None:
    """Play the money games that are resampled: `decide` asks for a difference too small for a verdict."""
    from bgrating.command.decide import command  # noqa: PLC0415
    from bgrating.tables.tables import write_table  # noqa: PLC0415
    from study.decision_errors import MONEY_PAIRS, money_games  # noqa: PLC0415

    place = path.parents[4]  # the folder of results
    for pair in MONEY_PAIRS:
        words = ["--money", "--levels", ",".join(pair), "--better", "0.0001", "--most", str(games), "--seed", "41"]
        command.main([*words, "--nets", "1.08", "--results", str(place)], standalone_mode=False)
    made = next((place / "1.08" / "decide").glob(f"{'~'.join(MONEY_PAIRS[0])}-money/*/*/decision.csv"))
    table, facts = money_games(place / "1.08" / "decide"), read_provenance(made)
    write_table(table, path, "tournament/money_games", study_seed=facts["study_seed"], sides=facts["sides"])


def test_money(games: Path, path: Path) -> None:
    """Measure how often the test of `decide --money` errs on simulated money games."""
    from bgrating.tables.tables import read_table, write_table  # noqa: PLC0415
    from study.decision_errors import SEED, money_error_rates  # noqa: PLC0415

    table = money_error_rates(read_table(games), snakemake.params.runs)
    write_table(table, path, "tournament/decision_errors", games_sha256=read_provenance(games)["sha256"], seed=SEED)
    print(f"{table.T.to_string(header=False)}\nTable: {path}")


with reporting(snakemake.log[0]):
    match snakemake.params.step:
        case "rate":
            rate(Path(snakemake.input.matches))
        case "decide":
            test_decide(Path(snakemake.input.matches), Path(snakemake.input.part1), Path(snakemake.output.table))
        case "money_games":
            play_money(Path(snakemake.output.games), snakemake.params.games)
        case "decide_money":
            test_money(Path(snakemake.input.games), Path(snakemake.output.table))
