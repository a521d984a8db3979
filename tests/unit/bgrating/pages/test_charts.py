"""Charts: what they show is what they were given, and no name leaves its place."""

import math
import re
from xml.etree import ElementTree

from bgrating.pages.charts import Line, curves, interval, winning
from corpus import cases

NOTHING = math.nan


def titles(text: str) -> list[str | None]:
    return [one.text for one in ElementTree.fromstring(text).iter("title")]


def test_the_curve_of_a_match_ends_at_its_result_and_marks_errors_and_luck() -> None:
    steps = cases("charts.match")
    for end in (0.0, 1.0):
        text = winning(steps, end, "words")
        (line,) = re.findall(r'class="curve" d="M(.*?)"', text)
        assert line.split("L")[0] == "0 50.0"
        assert line.split("L")[-1] == f"4 {100 - 100 * end:.1f}"
        assert re.search(r'<g class="error-right"><path [^>]*></g>', text)
        assert '<g class="error-left"></g>' in text
        # The roll of 25 % moved the chance of 52 % down to 27 %.
        assert 'class="lucky-right" d="M1 48.0h1V73.0h-1z"' in text
        assert 'class="lucky-left" d=""' in text
        assert 'class="game" d="M2.5 0v100"' in text


def test_luck_is_shaded_within_the_chart_only() -> None:
    """Of 40 % of luck at a chance of 90 %, the chart has room for 10 %."""
    text = winning(cases("charts.lucky"), 0.0, "words")
    assert 'class="lucky-left" d="M1 10.0h1V0.0h-1z"' in text
    assert 'class="lucky-right" d="M3 90.0h1V100.0h-1z"' in text


def test_a_bar_stays_on_its_scale() -> None:
    text = interval(1900.0, 1300.0, 2100.0, (1400.0, 2050.0))
    assert 'class="range" x1="0" x2="1000"' in text
    assert 'class="value" x1="769"' in text
    assert "range" not in interval(1900.0, NOTHING, NOTHING, (1400.0, 2050.0))


def test_curves_share_a_scale_and_hold_values_without_interval_until_the_next() -> None:
    lines = [
        Line("<one>", [(0.0, 1500.0, NOTHING, NOTHING), (10.0, 1600.0, NOTHING, NOTHING)]),
        Line("two", [(5.0, 1400.0, 1300.0, 1500.0), (10.0, 1450.0, 1400.0, 1500.0)]),
    ]
    text = curves(lines, ("first", "last"), "Ratings")
    assert titles(f"<all>{text.replace('&ensp;', '')}</all>") == ["<one>: 1,600", "two: 1,450"]
    assert re.findall(r'class="y"[^>]*>(.*?)<', text) == ["1,300", "1,400", "1,500", "1,600"]
    # The axis goes from 1,300 to 1,600; higher is less in SVG.
    assert re.findall(r'class="curve" d="(.*?)"', text) == [
        "M0.0 33.33H1000.0V0.00H1000",
        "M500.0 66.67L1000.0 50.00H1000",
    ]
    assert 'd="M500.0 33.33L1000.0 33.33L1000.0 66.67L500.0 100.00z"' in text
    assert text.count("opacity:.08") == 1
