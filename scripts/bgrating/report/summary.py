"""The few lines that a study prints when it is done."""

from pathlib import Path

from bgrating.report import contents, pairs, words
from bgrating.report.contents import Study
from bgrating.report.pairs import Pairs


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
    lines += [
        f"  {row['length']:>4}    {row['name']:<11} {row['found']:>7} {row['interval']:<18} {row['published']:>9}"
        for row in contents.by_length(study)
    ]
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
    for row in pairs.table(study.rows):
        lines.append(f"  {row['player']} against {row['opponent']}, {row['length']}: {row['measured']}")
        lines.append(f"          published {row['published']}, {row['verdict']}")
    lines.append(f"Report: {report}")
    return "\n".join(lines) + "\n"
