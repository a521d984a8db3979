"""The page of the check on people: one HTML file that needs nothing besides itself."""

from pathlib import Path

import pandas as pd

from bgrating.collection.page import Collection, render
from bgrating.pages import template
from bgrating.pages.prediction import PREDICTIONS, listed
from bgrating.tables.provenance import read_provenance
from bgrating.tables.tables import read_table
from study.people.answers import answers, in_short
from study.people.sources import NAMES
from study.people.tables import Check

TITLES = {
    "calibration": "Estimated against recorded ratings",
    "coefficients": "What errors cost: people beside simulated matches, and what single matches hide",
    "whom": "For whom: people's cost of errors over noise's, by group",
    "sizes": "Sizes of errors: people, and noise that loses as much",
    "kinds": "Kinds of errors: people, and noise that loses as much",
    "prediction": "Predicted and found chances of the favourite",
    "conversions": "Ratings as functions of PR",
}
TABLES = {
    "appendix": (
        "Recorded ratings and estimates, players with most matches first",
        "site player matches offset recorded_rating estimate ci_low difference shrunk_estimate shrunk_difference",
    ),
    "lines": ("Lines through players", "site players line corrected_for slope ci_low n_players n_matches"),
    "calibration": ("Calibration in figures", "site players quantity value ci_low n_players n_matches"),
    "mixed": ("Mixed effects", "site model quantity value ci_low n_players n_matches"),
    "fits": (
        "Coefficients from single matches and from players",
        "source match_length cube_rate fit term unit estimate ci_low n_matches n_players",
    ),
    "factors": (
        "People over noise, and what single matches hide",
        "source match_length cube_rate term people simulated ratio ratio_low factor implied implied_low n_matches",
    ),
    "identity": (
        "Luck-adjusted results against the MWC of the errors",
        "source match_length correlation mean sd n_matches",
    ),
    "whom": (
        "Groups",
        "formula group instrumented instrumented_low ratio ratio_low multiplier ci_low net_luck net_luck_low n_matches",
    ),
    "sizes": ("Sizes of errors", "what group source from_emg share share_low loss_share loss_low n_matches"),
    "kinds": ("Kinds of errors", "kind group source share share_low n_matches"),
    **PREDICTIONS,
    "conversions": ("Conversions: factors on PR", "conversion estimate ci_low rule n_players n_matches"),
    "conversion_values": ("Conversions: values at a PR", "pr measure estimate ci_low rule n_players n_matches"),
    "pr_gap": (
        "A gap of 6 PR: the weaker side's chance",
        "match_length points_per_pr points_low chance chance_low xg_says xg_points_say n_matches",
    ),
}
"""The tables on the page: title and columns. A column `…_low` stands for the interval of the one before it."""
SECTIONS = (
    ("Appendix I, renewed", ("calibration",), ("appendix", "lines", "calibration", "mixed")),
    ("What errors cost", ("coefficients", "whom"), ("fits", "factors", "identity", "whom")),
    ("Shape", ("sizes", "kinds"), ("sizes", "kinds")),
    ("Prediction", ("prediction",), ("scores", "slopes", "bins")),
    ("Conversions", ("conversions",), ("conversions", "conversion_values", "pr_gap")),
)
_DIGITS = {"appendix": 0, "conversion_values": 1}


def read_check(folder: Path) -> Check:
    """Read the tables of a check back from its folder."""
    tables = {name: read_table(folder / f"{name}.csv") for name in NAMES}
    held = read_provenance(folder / f"{NAMES[0]}.csv")["held"]
    return Check(tables, held["decided"], held["matches"], held["money"])


def people_page(collection: Collection, check: Check, figures: list[Path]) -> str:
    """Write the page of the check with its figures (SVG files)."""
    rows = [{"question": one.question, **finding._asdict()} for one in answers(check) for finding in one.findings]
    pictures = template.pictures(sorted(figures), {svg.stem: TITLES[svg.stem.partition("-")[0]] for svg in figures})
    return render(
        "people.html.j2",
        collection,
        held=check,
        answers=rows,
        first=pd.DataFrame(rows).drop_duplicates("question"),
        in_short=in_short(check),
        sections=[
            {
                "title": heading,
                "pictures": [one for name, one in pictures.items() if name.partition("-")[0] in shown],
                "tables": [listed(name, TABLES[name], check.tables[name], _DIGITS.get(name, "size")) for name in names],
            }
            for heading, shown, names in SECTIONS
        ],
    )


def summary(check: Check, page: str) -> str:
    """Return the lines that a run prints: the first finding of every answer, and where the page is."""
    firsts = [(one.question, one.findings[0]) for one in answers(check)]
    lines = [
        f"{question} {found.figure} {found.what} ({found.behind})" if found.figure else f"{question} {found.what}"
        for question, found in firsts
    ]
    return "\n".join([*lines, f"Page: {page}", ""])
