# Ratings from results: three published methods over one table of games.
# Needs: --config games=FILE (and name, method, fix, fuse, bias, subset, seed, start, resume, diluted). No engine.
# Makes: <results>/ratings/<name>/games.csv, self_play.csv, flagged.csv and plan.json; the tables of each method; methods.csv,
# agreement.csv, figures and report.html.
from bgrating.ratings import settings as ratings
from bgrating.ratings.plan import read_plan

try:
    RATINGS = ratings.settings(config)
except SettingsError as problem:
    raise WorkflowError(str(problem)) from None
RATINGS_FOLDER = f"{RESULTS}/ratings/{RATINGS.name}"
RATINGS_TABLES = {
    "elo": ["elo.csv", "elo_log.csv", "elo_runs.csv", "odds.csv", "first_mover.csv"],
    "logistic": ["logistic.csv", "logistic.json", "logistic_fit.json", "target.csv", "pred.csv"],
    "eloworld": ["eloworld.csv", "ablation.csv", "cells.csv", "outcomes.png"]
    + (["diluted.csv"] if RATINGS.diluted else []),
}
RATINGS_CODE = [
    "scripts/bgrating/ratings/games.py",
    "scripts/bgrating/ratings/plan.py",
    "scripts/bgrating/ratings/tables.py",
]


def rated_tables(wildcards):
    """Return the tables of the methods that rate the games."""
    plan = read_plan(Path(checkpoints.ratings_games.get().output.plan))
    return [f"{RATINGS_FOLDER}/{table}" for method in plan.methods for table in RATINGS_TABLES[method]]


# Which methods can rate the games is known when they are read.
checkpoint ratings_games:
    input:
        games=RATINGS.games or [],
        code=[
            "scripts/bgrating/ratings/fuse.py",
            "scripts/bgrating/ratings/games.py",
            "scripts/bgrating/ratings/plan.py",
            "scripts/bgrating/ratings/readers.py",
        ],
    output:
        games=f"{RATINGS_FOLDER}/games.csv",
        games_provenance=f"{RATINGS_FOLDER}/games.csv.provenance.json",
        self_play=f"{RATINGS_FOLDER}/self_play.csv",
        self_play_provenance=f"{RATINGS_FOLDER}/self_play.csv.provenance.json",
        flagged=f"{RATINGS_FOLDER}/flagged.csv",
        flagged_provenance=f"{RATINGS_FOLDER}/flagged.csv.provenance.json",
        plan=f"{RATINGS_FOLDER}/plan.json",
    log:
        f"logs/ratings/{RATINGS.name}/games.log",
    conda:
        "../environment.yml"
    params:
        # Whatever a setting changes makes the rule run again.
        asked=repr(RATINGS),
    message:
        "read the games of {input.games}"
    script:
        "../scripts/ratings_games.py"


rule ratings_elo:
    input:
        games=rules.ratings_games.output.games,
        plan=rules.ratings_games.output.plan,
        resume=RATINGS.resume or [],
        code=[
            *RATINGS_CODE,
            "scripts/bgrating/ratings/elo.py",
            "scripts/bgrating/ratings/elo_runs.py",
            "scripts/bgrating/ratings/kernels.py",
            "scripts/bgrating/ratings/pairs.py",
        ],
    output:
        tables=[f"{RATINGS_FOLDER}/{table}" for table in RATINGS_TABLES["elo"]],
        provenance=[f"{RATINGS_FOLDER}/{table}.provenance.json" for table in RATINGS_TABLES["elo"]],
    log:
        f"logs/ratings/{RATINGS.name}/elo.log",
    conda:
        "../environment.yml"
    params:
        seed=RATINGS.seed,
        start=repr(RATINGS.start),
    message:
        "Elo, game by game"
    script:
        "../scripts/ratings_elo.py"


rule ratings_logistic:
    input:
        games=rules.ratings_games.output.games,
        plan=rules.ratings_games.output.plan,
        code=[
            *RATINGS_CODE,
            "scripts/bgrating/ratings/coordinates.py",
            "scripts/bgrating/ratings/logistic.py",
            "scripts/bgrating/ratings/pairs.py",
            "scripts/bgrating/ratings/separation.py",
        ],
    output:
        tables=[f"{RATINGS_FOLDER}/{table}" for table in RATINGS_TABLES["logistic"]],
        provenance=[f"{RATINGS_FOLDER}/{table}.provenance.json" for table in RATINGS_TABLES["logistic"]],
    log:
        f"logs/ratings/{RATINGS.name}/logistic.log",
    conda:
        "../environment.yml"
    params:
        fix=repr(RATINGS.fix),
        bias=RATINGS.bias,
        subset=RATINGS.subset,
    message:
        "logistic ratings"
    script:
        "../scripts/ratings_logistic.py"


rule ratings_eloworld:
    input:
        games=rules.ratings_games.output.games,
        self_play=rules.ratings_games.output.self_play,
        plan=rules.ratings_games.output.plan,
        code=[
            *RATINGS_CODE,
            "scripts/bgrating/ratings/cells.py",
            "scripts/bgrating/ratings/champion.py",
            "scripts/bgrating/ratings/diluted.py",
            "scripts/bgrating/ratings/eloworld.py",
            "scripts/bgrating/ratings/kernels.py",
            "scripts/bgrating/ratings/outcomes.py",
        ],
    output:
        tables=[f"{RATINGS_FOLDER}/{table}" for table in RATINGS_TABLES["eloworld"]],
        provenance=[f"{RATINGS_FOLDER}/{table}.provenance.json" for table in RATINGS_TABLES["eloworld"]],
    log:
        f"logs/ratings/{RATINGS.name}/eloworld.log",
    conda:
        "../environment.yml"
    threads: workflow.cores
    params:
        seed=RATINGS.seed,
        subset=RATINGS.subset,
        diluted=repr(RATINGS.diluted),
    message:
        "Elo World"
    script:
        "../scripts/ratings_eloworld.py"


rule ratings_report:
    input:
        tables=rated_tables,
        flagged=rules.ratings_games.output.flagged,
        plan=rules.ratings_games.output.plan,
        templates=["report/ratings.html.j2", "report/style.css"],
        code=[
            "scripts/bgrating/figures/style.py",
            "scripts/bgrating/ratings/compare.py",
            "scripts/bgrating/ratings/figures.py",
            "scripts/bgrating/ratings/page.py",
        ],
    output:
        figures=directory(f"{RATINGS_FOLDER}/figures"),
        methods=f"{RATINGS_FOLDER}/methods.csv",
        methods_provenance=f"{RATINGS_FOLDER}/methods.csv.provenance.json",
        agreement=f"{RATINGS_FOLDER}/agreement.csv",
        agreement_provenance=f"{RATINGS_FOLDER}/agreement.csv.provenance.json",
        report=report(
            f"{RATINGS_FOLDER}/report.html",
            caption="../report/ratings.rst",
            category="ratings",
            subcategory="Report",
        ),
        summary=f"{RATINGS_FOLDER}/summary.txt",
    log:
        f"logs/ratings/{RATINGS.name}/report.log",
    conda:
        "../environment.yml"
    params:
        subset=RATINGS.subset,
    message:
        "page of the ratings"
    script:
        "../scripts/ratings_report.py"


rule ratings:
    input:
        tables=rated_tables,
        report=rules.ratings_report.output.report,
        summary=rules.ratings_report.output.summary,
    log:
        f"logs/ratings/{RATINGS.name}/ratings.log",
    localrule: True
    conda:
        "../environment.yml"
    message:
        "ratings from {RATINGS.games}"
    shell:
        "cat {input.summary:q} 2> {log:q}"
