"""The look that all figures share."""

import re

import numpy as np
import pytest

import simulated_studies as simulated
from made_up_studies import played
from study.report.figures import lines, save


def drawn():
    of = played("test", simulated.study(np.random.default_rng(1), lengths=(5,), matches=40))
    return lines(of.coefficients, of.formula)


@pytest.mark.slow
def test_the_same_data_give_the_same_bytes(tmp_path):
    one, two = (save(drawn(), tmp_path / run / "figure.svg") for run in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()


def test_a_picture_names_no_date_and_no_address_but_its_own_language(tmp_path):
    text = save(drawn(), tmp_path / "figure.svg").read_text(encoding="utf-8")
    assert "<dc:date>" not in text
    assert set(re.findall(r'(?:href|src)="([^"#][^"]*)"', text)) == set()
