"""The page of the check on people: one HTML file that needs nothing besides itself."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bgrating.pages import template
from bgrating.pages.prediction import PREDICTIONS, listed
from study.people.answers import in_short
from study.people.scale import ASSUMPTIONS
from study.people.tables import Check

TITLES = {
    "calibration": "Estimated against recorded ratings",
    "scale": "What people's errors cost, by estimator and collection",
    "sizes": "Sizes of errors: people, and noise that loses as much",
    "kinds": "Kinds of errors: people, and noise that loses as much",
    "prediction": "Predicted and found chances of the favourite",
}
TABLES = {
    "scale": (
        "F by collection and estimator",
        "group estimator estimate ci_low bias corrected se_by_match se_by_player coverage_by_match coverage_by_player "
        "noise n_matches n_players",
    ),
    "appendix": (
        "Recorded ratings and estimates, players with most matches first",
        "site player matches offset recorded_rating estimate ci_low difference",
    ),
    "calibration": ("Calibration in figures", "site quantity value ci_low n_players n_matches"),
    "sizes": ("Sizes of errors", "what source from_emg share share_low loss_share loss_low n_matches"),
    "kinds": ("Kinds of errors", "kind source share share_low n_matches"),
    **PREDICTIONS,
    "conversions": ("Conversions: factors on PR", "conversion estimate ci_low rule n_players n_matches"),
    "pr_gap": (
        "A gap of 6 PR: the weaker side's chance",
        "match_length points_per_pr points_low chance chance_low xg_says xg_points_say n_matches",
    ),
    "few_matches": (
        "Ratings from few matches against those of the player's other matches",
        "matches interval coverage coverage_low median_half_width mean_error rms_error n_players",
    ),
    "limits": (
        "Chances that a true PR is below a limit (2.5, 4, 6.5, 10), and how often other matches were",
        "matches from_chance to_chance expected seen seen_low n_players",
    ),
}
"""The tables on the page: title and columns. A column `…_low` stands for the interval of the one before it."""
SECTIONS = (
    ("What errors cost", ("scale",), ("scale",)),
    ("Appendix I, renewed", ("calibration",), ("appendix", "calibration")),
    ("Shape", ("sizes", "kinds"), ("sizes", "kinds")),
    ("Prediction", ("prediction",), ("scores", "slopes", "bins")),
    ("Conversions", (), ("conversions", "pr_gap")),
    ("Few matches", (), ("few_matches", "limits")),
)


def people_page(name: str, check: Check, figures: list[Path], facts: Mapping[str, Any]) -> str:
    """Write the page of the check on a collection with its figures (SVG files); `facts` are its tables' provenance."""
    titles = {
        svg.stem: ", ".join(filter(None, (TITLES[kind], site)))
        for svg in figures
        for kind, _, site in [svg.stem.partition("-")]
    }
    pictures = template.pictures(sorted(figures), titles)
    sections = [
        {
            "title": heading,
            "pictures": [picture for key, picture in pictures.items() if key.partition("-")[0] in figures_shown],
            "tables": [
                listed(key, TABLES[key], check.tables[key], 0 if key == "appendix" else "size") for key in names
            ],
        }
        for heading, figures_shown, names in SECTIONS
    ]
    return template.page(
        "people.html.j2",
        name=name,
        held=check,
        in_short=in_short(check),
        assumptions=ASSUMPTIONS,
        sections=sections,
        provenance=facts,
    )


def summary(check: Check, page: str) -> str:
    """Return the lines that a run prints: the answers, and where the page is."""
    return "\n".join([*in_short(check), f"Page: {page}", ""])
