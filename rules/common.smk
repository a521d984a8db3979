# Names, settings and input functions of all rule files.
# Needs: config, config/designs. Makes: nothing.
import os
import re
import shlex
import sys
from pathlib import Path

PROJECT = Path(str(workflow.current_basedir)).resolve().parent  # the working folder may differ
sys.path.insert(0, str(PROJECT / "scripts"))
from bgrating import BgratingError
from bgrating.rating.result_files import COMMITTED
from bgrating.tables.provenance import digest
from study.code_digest import code_digest
from study.workflow_settings import ANALYSIS, EVERY_PAGE, Settings, engine_versions, own_python

# A wrong setting ends Snakemake with one sentence: any other exception would show a traceback.
try:
    SETTINGS = Settings(config)
    SETTINGS_FILE = SETTINGS.write()
except (BgratingError, OSError) as problem:
    sys.exit(f"error: {problem}")
if set("{}") & set(os.path.relpath(PROJECT)):
    sys.exit(f"error: {PROJECT}: Snakemake takes braces for wildcards; start it in that folder")

RESULTS, PLAYED = str(SETTINGS.results), str(SETTINGS.played)
LOGS = f"{RESULTS}/logs"
DOUBLED = str.maketrans({"{": "{{", "}": "}}"})  # Snakemake takes single braces for wildcards
ENVS = f"{PROJECT}/rules/envs".translate(DOUBLED)
PYTHON = own_python(PROJECT)
KEPT = f"results/{SETTINGS.engine_version}"  # the repository's results of this version
OTHER_VERSIONS = [one for one in engine_versions() if one != SETTINGS.engine_version]
MAIN_STUDY = "part2"  # its fit has the form of 2003
SHARD = "{match_length}/{player}~{opponent}/{shard}"  # as in DesignPoint.shard_path


wildcard_constraints:
    study="|".join(map(re.escape, SETTINGS.studies)),
    match_length=r"\d+",
    player=r"[\w.+@-]+",
    opponent=r"[\w.+@-]+",
    shard=r"\d{3}",
    tournament="|".join(map(re.escape, SETTINGS.tournament_names)) or "none",


# Rules use `shell:`, since `script:` does not quote the path of Python, which may contain a blank.
def job(step, *words):
    """Return the shell command of a job (study/jobs): file of the settings, log, then the words."""
    program = [f"{PROJECT}/scripts/job.sh", PYTHON, f"{PROJECT}/scripts/job.py"]
    command = shlex.join(["sh", *program, str(SETTINGS_FILE)]).translate(DOUBLED)
    return " ".join([command, step, "{log:q}", *words])


def code(step, *modules):
    """Return the digest of a job's code, as a function of wildcards: only planned jobs need it."""
    return lambda w: code_digest(f"study.jobs.{step}", *modules)


def shown(path, name, **options):
    """Return an output as an entry of Snakemake's report, with the caption report/<name>.rst."""
    labels = {"shows": "figure: {figure}" if "patterns" in options else name}
    caption = f"../report/{name}.rst"
    return report(
        path, caption=caption, category="Studies", subcategory="{study}", labels=labels, **options
    )


def project_files(*paths):
    """Return the paths of files of this project that exist, relative to the working folder."""
    return [os.path.relpath(PROJECT / path) for path in paths if (PROJECT / path).is_file()]


def templates(*names):
    """Return the templates of a page, and the sources of every page."""
    return project_files(*(f"report/{name}" for name in (*names, *EVERY_PAGE)))


def setting(name, *arguments):
    """Return an attribute of SETTINGS, or what a method returns; end where that is wrong."""
    try:
        value = getattr(SETTINGS, name)
        return value(*arguments) if callable(value) else value
    except BgratingError as problem:
        sys.exit(f"error: {problem}")


def shard(w):
    return setting("shard", w.study, w.match_length, w.player, w.opponent, w.shard)


def priority(w):
    """Return a priority: first shards first, so that cells grow evenly; of these the longest."""
    return shard(w).shard.matches * int(w.match_length) - 10**6 * int(w.shard)


def coefficients_of(w):
    """Return a table of fits, and the formula, or for the shipped one what is made with it."""
    study = SETTINGS.config.get("part")
    if not study:
        (fits,) = expand(rules.fit.output.coefficients, study=MAIN_STUDY)
        return {"fits": fits, "formula": rules.law_tables.output.provenance}
    if SETTINGS.results.resolve() == COMMITTED.resolve():
        sys.exit(
            f"error: part={study} would replace the coefficients that {RESULTS} keeps: give"
            " results= a folder"
        )
    setting("design", study)  # ends where there is no such study
    outputs = {"fits": rules.fit.output.coefficients, "formula": rules.fit.output.formula}
    return {name: path.format(study=study) for name, path in outputs.items()}


def played_tables(w):
    """Return the tables of the shards of the study part= that are not frozen yet."""
    study = SETTINGS.config.get("part")
    if study is None:
        sys.exit("error: part= names the study to freeze")
    tables = [path for path in setting("match_tables", study) if path.endswith(".csv")]
    if not tables:
        sys.exit(f"error: {study} is frozen already")
    return tables


def studied(*studies):
    """Return the files of studies, tables too: a missing one is made only if it is a target."""
    pages = [rules.report.output.report, rules.report.output.summary]
    return expand([*rules.fit.output, *pages], study=studies)


def refitted(w):
    """Return every table and figure of these nets that frozen tables determine."""
    studies = setting("frozen_studies")
    fits = expand(rules.fit.output, study=studies)
    if "part" in SETTINGS.config or MAIN_STUDY not in studies:  # the formula needs more studies
        return fits
    tables = [*rules.coefficients.output, *rules.law_tables.output, *rules.people_tables.output]
    played = [name for name in SETTINGS.tournament_names if SETTINGS.frozen(f"tournament/{name}")]
    figures = f"{PLAYED}/{MAIN_STUDY}/figures"
    return [*fits, *tables, *expand(rules.tournament_tables.output, tournament=played), figures]


def rated(w):
    """Return the tables and the page of the tournament; end where its settings are wrong."""
    setting("tournament")
    files = [*rules.tournament_report.output, *rules.tournament_tables.output]
    return expand(files, tournament=SETTINGS.tournament_names)


def require_environment():
    """End before the first job if results cannot be written, or packages or the engine lack."""
    setting("require_results")
    if not workflow.deployment_settings.deployment_method:
        setting("require_packages", PYTHON)
    if {"play", "analyse", "human"} & {job.rule.name for job in workflow.dag.needrun_jobs()}:
        setting("require_engine")
