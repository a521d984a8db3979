# Names, settings and input functions that the rule files share.
# Needs: config, config/designs. Makes: nothing.
import os
import re
import shlex
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

PROJECT = Path(str(workflow.current_basedir)).parent  # not the folder that runs it, where this is another's module
sys.path.insert(0, str(PROJECT / "scripts"))
from bgrating import BgratingError
from bgrating.engine.nets import COMMITTED
from study.asked import ANALYSIS, EVERY_PAGE, Asked, known_nets, lacking, own_python

try:
    ASKED = Asked(config)
except BgratingError as problem:
    raise WorkflowError(str(problem)) from None

RESULTS, NETS, PLAYED = str(ASKED.results), ASKED.nets, str(ASKED.played)
LOGS = f"{RESULTS}/logs"
PYTHON = own_python(PROJECT)
# It stands in `shell:`, since `script:` leaves the path of Python unquoted: a folder with a blank would not do.
JOB = shlex.join(["sh", *map(str, [PROJECT / "scripts/job.sh", PYTHON, PROJECT / "scripts/job.py", ASKED.export()])])
KEPT = f"results/{NETS}"  # what the repository keeps of these nets
MAIN_STUDY = "part2"  # whose variances a plan starts from, and whose fit has the form of 2003
SHARD = "{match_length}/{player}~{opponent}/{shard}"  # as Asked.part names it


wildcard_constraints:
    study="|".join(map(re.escape, ASKED.studies)),
    match_length=r"\d+",
    player=r"[\w.+@-]+",
    opponent=r"[\w.+@-]+",
    shard=r"\d{3}",
    tournament="|".join(map(re.escape, ASKED.tournament_names())) or "none",


def job(step, *words):
    """Return the command of a step (study/jobs): its words come after the log."""
    return " ".join([JOB, step, "{log:q}", *words])


def shown(path, what, **about):
    """Return an output that Snakemake's own report shows, with the caption report/<what>.rst."""
    labels = {"shows": "figure: {figure}" if "patterns" in about else what}
    caption = f"../report/{what}.rst"
    return report(path, caption=caption, category="Studies", subcategory="{study}", labels=labels, **about)


def project_files(*paths):
    """Return files of this project as seen from the folder that the workflow runs in."""
    return [os.path.relpath(PROJECT / path) for path in paths]


def templates(*names):
    """Return the templates of a page, and what every page is made with."""
    return project_files(*(f"report/{name}" for name in (*names, *EVERY_PAGE)))


def asked(question, *words):
    """Return the answer of ASKED to a question. Raises WorkflowError, in one sentence, for a wrong file."""
    try:
        answer = getattr(ASKED, question)
        return answer(*words) if callable(answer) else answer
    except BgratingError as problem:
        raise WorkflowError(str(problem)) from None


def shard(w):
    return asked("shard", w.study, w.player, w.opponent, w.match_length, w.shard)


def task(w):
    return asked("task", w.study, shard(w))


def priority(w):
    """Return the priority of a shard: the first shards of all cells precede the second ones, so that they stay even.

    Of these the longest come first (matches times match length), so that no core waits long for the last one.
    """
    return shard(w).shard.matches * int(w.match_length) - 10**6 * int(w.shard)


def others_of(table):
    """Return a table of the other nets that the repository keeps, as far as they have it."""
    return [
        path
        for path in project_files(*(f"results/{nets}/{table}" for nets in known_nets() if nets != NETS))
        if Path(path).is_file()
    ]


def coefficients_of(w):
    """Return what the one table of coefficients is made of: a study's, or the formula and the fit of Part II."""
    if study := ASKED.config.get("part"):
        if ASKED.results.resolve() == COMMITTED.resolve():
            raise WorkflowError(
                f"part={study} would replace the coefficients that {RESULTS} keeps: give results= a folder"
            )
        return [
            *expand(rules.matches.output.table, study=asked("fitted", study)),
            *expand(rules.fit.output.coefficients, study=study),
        ]
    return [rules.law_tables.output.provenance, *expand(rules.fit.output.coefficients, study=MAIN_STUDY)]


def studied(*studies):
    """Return what a study makes: its tables too, since one that is missing is made again only where it is asked for."""
    made = [*rules.points.output, *rules.fit.output, rules.report.output.report, rules.report.output.summary]
    return expand(made, study=studies)


def analysed(w):
    """Return the pages of the studies that have frozen matches."""
    return studied(*asked("held"))


def refitted(w):
    """Return every table and figure that the repository keeps of these nets, as far as frozen tables determine them."""
    fits = expand([*rules.points.output, *rules.fit.output], study=asked("held"))
    if "part" in ASKED.config or MAIN_STUDY not in asked("held"):  # the formula rests on more than what is there
        return fits
    tables = [*rules.coefficients.output, *rules.compare.output, *rules.law_tables.output, *rules.people_tables.output]
    played = ASKED.tournament_names(frozen=True)
    figures = f"{PLAYED}/{MAIN_STUDY}/figures"
    return [*fits, *tables, *expand(rules.tournament_tables.output, tournament=played), figures]


def tournament_files(w):
    name = asked("tournament_name")
    return expand([*rules.tournament_report.output, *rules.tournament_tables.output], tournament=name)


def require_environment():
    """Raise WorkflowError, before the first job, where jobs cannot import what they need."""
    if not workflow.deployment_settings.deployment_method and (problem := lacking(PYTHON, PROJECT)):
        raise WorkflowError(problem)
