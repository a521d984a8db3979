"""What gnubg by itself writes: its statistics are the oracle for figures read otherwise."""

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from corpus import values

# A line of the text, and the figures it holds for each player: a count, or "EMG (MWC%)".
COUNTS = {
    "Close or actual cube decisions": "close_cube_decisions",
    "Error based abs. FIBS rating": "error_based_rating",
}
_ALIKE = ("Total moves", "Unforced moves", "Total cube decisions", "Doubles", "Takes", "Passes")
_RESULTS = ("Actual result", "Luck adjusted result")
COUNTS |= {words: words.lower().replace(" ", "_") for words in (*_ALIKE, *_RESULTS)}
CUBE_CLASSES = values("statistics_text")
_NUMBER = r"[-+]?\d+(?:\.\d+)?"
_PAIR = re.compile(rf"({_NUMBER})\s*\(\s*({_NUMBER})%\s*\)")
_CLASS = re.compile(rf"\d+(?:\s*\(\s*({_NUMBER})\s*\(\s*({_NUMBER})%\s*\)\s*\))?")

# What one figure of the text tells: its value and the half unit of its last printed digit.
Printed = tuple[float, float]


def tell_gnubg(commands: Sequence[str], folder: Path) -> None:
    """Give commands to the embedded gnubg, in a process of its own that works in a folder."""
    code = "import json, sys, gnubg\nfor command in json.load(sys.stdin): gnubg.command(command)"
    given = {"input": json.dumps([*commands]), "env": {"HOME": str(folder)}, "text": True}
    quiet = {"stdout": subprocess.DEVNULL}
    subprocess.run([sys.executable, "-c", code], cwd=folder, check=True, **given, **quiet)


def read_statistics(text: str) -> tuple[dict[str, Printed], dict[str, Printed]]:
    """Return the figures of the left and the right player: value and print rounding, under our
    column names.

    Errors are magnitudes; percentages are fractions; what gnubg calls n/a is left out.
    """
    sides: tuple[dict[str, Printed], dict[str, Printed]] = ({}, {})
    section = ""
    for line in text.splitlines():
        label, rest = line[:40].strip(), line[40:]
        if label.endswith("statistics") and not rest.strip():
            section = label
        label = label.removesuffix("(EMG (MWC))").removesuffix("EMG (MWC)").strip()
        if label in CUBE_CLASSES:
            cost = CUBE_CLASSES[label]
            for side, (emg, mwc) in zip(sides, _CLASS.findall(rest), strict=True):
                side[f"{cost}_emg"] = _magnitude(emg or "0.000")
                side[f"{cost}_mwc"] = _fraction(mwc.lstrip("-") or "0.000")
        elif label == "Error total" and section.startswith(("Chequerplay", "Cube")):
            name = "chequer" if section.startswith("Chequerplay") else "cube"
            for side, (emg, mwc) in zip(sides, _PAIR.findall(rest), strict=True):
                side[f"{name}_error_emg"] = _magnitude(emg)
                side[f"{name}_error_mwc"] = _fraction(mwc.lstrip("-"))
        elif label == "Luck total":
            for side, (emg, mwc) in zip(sides, _PAIR.findall(rest), strict=True):
                side["luck_emg"] = _printed(emg)
                side["luck_mwc"] = _fraction(mwc)
        elif label in COUNTS and "n/a" not in rest:
            figures = re.findall(rf"{_NUMBER}%?", re.sub(r"\([^)]*\)", " ", rest))
            for side, figure in zip(sides, figures, strict=True):
                read = _fraction if figure.endswith("%") else _printed
                side[COUNTS[label]] = read(figure.removesuffix("%"))
    return sides


def _printed(figure: str) -> Printed:
    decimals = len(figure.partition(".")[2])
    return float(figure), 0.5 * 10.0**-decimals if decimals else 0.0


def _magnitude(figure: str) -> Printed:
    value, rounding = _printed(figure)
    return abs(value), rounding


def _fraction(percentage: str) -> Printed:
    value, rounding = _printed(percentage)
    return value / 100.0, rounding / 100.0
