# Names, settings and input functions of all rule files.
# Needs: config, config/designs. Makes: nothing.
import os
import re
import shlex
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

PROJECT = Path(str(workflow.current_basedir)).parent  # the working folder may be another workflow's
sys.path.insert(0, str(PROJECT / "scripts"))
from bgrating import BgratingError
from bgrating.engine.nets import COMMITTED
from study.settings import ANALYSIS, EVERY_PAGE, Settings, known_nets, lacking, own_python

try:
    SETTINGS = Settings(config)
except BgratingError as problem:
    raise WorkflowError(str(problem)) from None

if set("{}") & set(os.path.relpath(PROJECT)):
    raise WorkflowError(
        f"{PROJECT}: Snakemake takes braces for wildcards;"
        " start it in that folder, or rename the folder"
    )


def doubled(text):
    """Return a text with its braces doubled: Snakemake takes single ones for wildcards."""
    return text.replace("{", "{{").replace("}", "}}")


RESULTS, NETS, PLAYED = str(SETTINGS.results), SETTINGS.nets, str(SETTINGS.played)
LOGS = f"{RESULTS}/logs"
PYTHON = own_python(PROJECT)
# Rules use `shell:`, since `script:` does not quote the path of Python, which may contain a blank.
JOB = doubled(
    shlex.join(
        ["sh", f"{PROJECT}/scripts/job.sh", PYTHON, f"{PROJECT}/scripts/job.py", SETTINGS.export()]
    )
)
KEPT = f"results/{NETS}"  # the repository's results of these nets
MAIN_STUDY = "part2"  # its fit has the form of 2003
SHARD = "{match_length}/{player}~{opponent}/{shard}"  # as in DesignPoint.place


wildcard_constraints:
    study="|".join(map(re.escape, SETTINGS.studies)),
    match_length=r"\d+",
    player=r"[\w.+@-]+",
    opponent=r"[\w.+@-]+",
    shard=r"\d{3}",
    tournament="|".join(map(re.escape, SETTINGS.tournament_names)) or "none",


def packages(name):
    """Return the conda environment of a rule, rules/envs/<name>.yml."""
    return doubled(f"{PROJECT}/rules/envs/{name}.yml")


def job(step, *words):
    """Return the shell command of a job (study/jobs): the log, then the words."""
    return " ".join([JOB, step, "{log:q}", *words])


def shown(path, what, **about):
    """Return an output as an entry of Snakemake's report, with the caption report/<what>.rst."""
    labels = {"shows": "figure: {figure}" if "patterns" in about else what}
    caption = f"../report/{what}.rst"
    return report(
        path, caption=caption, category="Studies", subcategory="{study}", labels=labels, **about
    )


def project_files(*paths):
    """Return the paths of files of this project, relative to the working folder."""
    return [os.path.relpath(PROJECT / path) for path in paths]


def templates(*names):
    """Return the templates of a page, and the sources of every page."""
    return project_files(*(f"report/{name}" for name in (*names, *EVERY_PAGE)))


def setting(name, *words):
    """Return an attribute, or the result of a method, of SETTINGS.

    Raises WorkflowError with one sentence.
    """
    try:
        value = getattr(SETTINGS, name)
        return value(*words) if callable(value) else value
    except BgratingError as problem:
        raise WorkflowError(str(problem)) from None


def shard(w):
    return setting("shard", w.study, w.match_length, w.player, w.opponent, w.shard)


def task(w):
    return setting("task", w.study, shard(w))


def priority(w):
    """Return the priority of a shard.

    The first shards of all cells come first, then the second ones, so that cells grow evenly.

    Among shards of the same number the longest come first (matches times match length), so that
    no core waits long for the last one.
    """
    return shard(w).shard.matches * int(w.match_length) - 10**6 * int(w.shard)


def others_of(table):
    """Return the paths of a table in the repository's results of the other engine versions."""
    return [
        path
        for path in project_files(
            *(f"results/{nets}/{table}" for nets in known_nets() if nets != NETS)
        )
        if Path(path).is_file()
    ]


def coefficients_of(w):
    """Return the inputs of the table of coefficients.

    They are those of a study, or the formula and the fit of Part II.
    """
    if study := SETTINGS.config.get("part"):
        if SETTINGS.results.resolve() == COMMITTED.resolve():
            raise WorkflowError(
                f"part={study} would replace the coefficients that {RESULTS} keeps:"
                " give results= a folder"
            )
        setting("design", study)  # raises where there is no such study
        return expand([rules.fit.output.coefficients, rules.fit.output.formula], study=study)
    return [
        rules.law_tables.output.provenance,
        *expand(rules.fit.output.coefficients, study=MAIN_STUDY),
    ]


def studied(*studies):
    """Return the files of a study.

    Its tables are among them: Snakemake makes a missing table again only if it is a target.
    """
    made = [
        *rules.points.output,
        *rules.fit.output,
        rules.report.output.report,
        rules.report.output.summary,
    ]
    return expand(made, study=studies)


def analysed(w):
    """Return the pages of the studies that have frozen matches."""
    return studied(*setting("frozen_parts"))


def refitted(w):
    """Return every table and figure in the repository's results that frozen tables determine."""
    fits = expand([*rules.points.output, *rules.fit.output], study=setting("frozen_parts"))
    if "part" in SETTINGS.config or MAIN_STUDY not in setting(
        "frozen_parts"
    ):  # the formula needs more studies
        return fits
    tables = [*rules.coefficients.output, *rules.law_tables.output, *rules.people_tables.output]
    played = [name for name in SETTINGS.tournament_names if SETTINGS.frozen(f"tournament/{name}")]
    figures = f"{PLAYED}/{MAIN_STUDY}/figures"
    return [*fits, *tables, *expand(rules.tournament_tables.output, tournament=played), figures]


def tournament_files(w):
    setting("tournament")  # raises where its settings are wrong
    files = [*rules.tournament_report.output, *rules.tournament_tables.output]
    return expand(files, tournament=SETTINGS.tournament_names)


def stores(w):
    """Return the stores of the collection's parts. Raises WorkflowError without a collection."""
    if not SETTINGS.config.get("collection"):
        raise WorkflowError(
            "no collection: ./run human --collection DIR rates the match files in a folder"
        )
    return expand(rules.human_part.output.store, part=COLLECTION)


def require_environment():
    """Raise WorkflowError before the first job if jobs cannot import their packages."""
    if not workflow.deployment_settings.deployment_method and (problem := lacking(PYTHON, PROJECT)):
        raise WorkflowError(problem)
