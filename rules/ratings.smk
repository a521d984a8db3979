# Ratings from results: three published methods over one table of games; of a club's list whole-history ratings, the FIBS
# formula by match length, and a league table too.
# Needs: --config games=FILE (and name, method, fix, fuse, bias, subset, seed, start, resume, diluted, since, through, least,
# match_length, drift). No engine.
# Makes: <results>/ratings/<name>/games.csv, self_play.csv, flagged.csv and plan.json; the tables of each method;
# methods.csv, agreement.csv, league.csv, figures and report.html.
from bgrating.league import settings as ratings

try:
    RATINGS = ratings.settings(config)
except SettingsError as problem:
    raise WorkflowError(str(problem)) from None
RATINGS_FOLDER = f"{RESULTS}/ratings/{RATINGS.name}"


# Which methods can rate the games is known when they are read.
checkpoint ratings_games:
    input:
        games=RATINGS.games or [],
        code=lambda w: modules("ratings_games"),
    output:
        games=f"{RATINGS_FOLDER}/games.csv",
        self_play=f"{RATINGS_FOLDER}/self_play.csv",
        flagged=f"{RATINGS_FOLDER}/flagged.csv",
        provenance=f"{RATINGS_FOLDER}/ratings_games.provenance.json",
        plan=f"{RATINGS_FOLDER}/plan.json",
    log:
        f"logs/ratings/{RATINGS.name}/games.log",
    params:
        # Whatever a setting changes makes the rule run again.
        asked=repr(RATINGS),
    message:
        "read the games of {input.games}"
    script:
        "../scripts/ratings_games.py"


# Whatever a setting changes makes the plan again, and with it every method.
for method in ratings.METHODS:

    rule:
        name:
            f"ratings_{method}"
        input:
            games=rules.ratings_games.output.games,
            self_play=rules.ratings_games.output.self_play,
            plan=rules.ratings_games.output.plan,
            resume=RATINGS.resume or [],
            code=lambda w: modules("ratings_method"),
        output:
            tables=expand(f"{RATINGS_FOLDER}/{{table}}", table=RATINGS.tables(method)),
            provenance=f"{RATINGS_FOLDER}/ratings_{method}.provenance.json",
        log:
            f"logs/ratings/{RATINGS.name}/{method}.log",
        conda:
            "../environment.yml"
        threads: 2 if method == "eloworld" else 1
        params:
            method=method,
        message:
            f"ratings by {method}"
        script:
            "../scripts/ratings_method.py"


rule ratings_report:
    input:
        games=rules.ratings_games.output.games,
        tables=lambda w: RATINGS.planned_tables(checkpoints.ratings_games.get().output.plan),
        flagged=rules.ratings_games.output.flagged,
        plan=rules.ratings_games.output.plan,
        templates=own("report/ratings.html.j2", *TEMPLATES),
        code=lambda w: modules("ratings_report"),
    output:
        figures=directory(f"{RATINGS_FOLDER}/figures"),
        methods=f"{RATINGS_FOLDER}/methods.csv",
        agreement=f"{RATINGS_FOLDER}/agreement.csv",
        league=f"{RATINGS_FOLDER}/league.csv",
        provenance=f"{RATINGS_FOLDER}/ratings_report.provenance.json",
        report=report(
            f"{RATINGS_FOLDER}/report.html",
            caption="../report/ratings.rst",
            category="ratings",
            subcategory="Report",
        ),
        summary=f"{RATINGS_FOLDER}/summary.txt",
    log:
        f"logs/ratings/{RATINGS.name}/report.log",
    params:
        subset=RATINGS.subset,
    message:
        "page of the ratings"
    script:
        "../scripts/ratings_report.py"


rule ratings:
    input:
        tables=lambda w: RATINGS.planned_tables(checkpoints.ratings_games.get().output.plan),
        report=rules.ratings_report.output.report,
        summary=rules.ratings_report.output.summary,
    log:
        f"logs/ratings/{RATINGS.name}/ratings.log",
    localrule: True
    shell:
        "cat {input.summary:q} 2> {log:q}"
