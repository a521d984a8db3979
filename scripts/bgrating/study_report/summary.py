"""The few lines that a study prints when it is done."""

from pathlib import Path

from bgrating.report import words
from bgrating.report.style import points_word
from bgrating.report.template import records
from bgrating.study_report import contents, pairs
from bgrating.study_report.contents import Study
from bgrating.study_report.pairs import Pairs


def summary(study: Study, report: Path) -> str:
    """Write the formula found with its intervals beside the published one, and where the report is."""
    formula = study.formula
    fit = formula.facts["goodness_of_fit"]
    lines = [
        f"Rating formula of the study {study.name!r}: {words.number(formula.facts['n_matches'])} matches "
        f"at {words.lengths(formula.match_lengths)}",
        f"  {words.equation(formula)}   (R in rating points, errors in EMG a decision, N points)",
        "",
    ]
    rows = contents.headline(study)
    width = max(len(row["found"]) for row in rows)
    for row in rows:
        name = row["name"]
        lines.append(f"  {name:>5} = {row['found']:<{width}}   published {row['published']}")
        lines.append(f"          {formula.confidence:.0%} intervals: {row['intervals']}")
    lines += ["", f"  at N    coefficient   found {formula.confidence:.0%} interval       published"]
    for here in contents.by_length(study):
        interval = words.between(here["ci_low"], here["ci_high"])
        found, published = words.number(here["found"]), words.number(here["published"])
        lines.append(f"  {here['length']:>4}    {here['name']:<11} {found:>7} {interval:<18} {published:>9}")
    lines += [
        "",
        f"  Fit: chi-square {fit['chi_square']:.0f} on {fit['dof']} degrees of freedom (p = {fit['p_value']:.2g}).",
    ]
    if formula.facts["left_out"]:
        lines.append(f"  Left out: {'; '.join(formula.facts['left_out'])}.")
    lines.append(f"Report: {report}")
    return "\n".join(lines) + "\n"


def pairs_summary(study: Pairs, report: Path) -> str:
    """Write the rating differences of a study that determines no formula, beside the published ones."""
    confidence = f"{study.rows['confidence'].iloc[0]:.0%}"
    lines = [
        f"Rating differences of the study {study.name!r}: {words.number(study.rows['n_matches'].sum())} matches, "
        f"{confidence} intervals",
        "",
    ]
    for row in records(study.rows):
        measured = f"{words.number(row['rating_difference'])} {words.between(row['ci_low'], row['ci_high'])}"
        lines.append(f"  {row['player']} against {row['opponent']}, {points_word(row['match_length'])}: {measured}")
        lines.append(f"          published {pairs.published(row)}, {pairs.verdict(row)}")
    lines.append(f"Report: {report}")
    return "\n".join(lines) + "\n"
