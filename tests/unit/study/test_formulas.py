"""The file of formulas."""

import json

from bgrating.rating.calculator import FILE
from study import formulas as gathering


def test_the_file_is_what_the_results_say() -> None:
    assert json.loads(FILE.read_text()) == json.loads(gathering.text()), "./run formulas writes it anew"
