"""The look that all figures share."""

import re

import numpy as np
import pytest

import simulated_studies as simulated
from made_up_studies import played
from study.report.figures import lines
from study.style import new_figure, save


def drawn():
    of = played("test", simulated.study(np.random.default_rng(1), lengths=(5,), matches=40))
    return [("coefficients", lines(of.coefficients, of.formula))]


@pytest.mark.slow
def test_the_same_data_give_the_same_bytes(tmp_path):
    for run in ("one", "two"):
        save(drawn(), tmp_path / run)
    first = sorted((tmp_path / "one").iterdir())
    assert len(first) == 1
    for file in first:
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()


def test_a_picture_names_no_date_and_no_address_but_its_own_language(tmp_path):
    name, figure = drawn()[0]
    (file,) = save([(name, figure)], tmp_path)
    text = file.read_text(encoding="utf-8")
    assert "<dc:date>" not in text
    assert set(re.findall(r'(?:href|src)="([^"#][^"]*)"', text)) == set()


def test_a_figure_of_an_older_version_is_none_of_this_page(tmp_path):
    (tmp_path / "cells-03.svg").write_text("<svg/>")
    drawn = save([(name, new_figure(1, width=2, height=2)[0]) for name in ("b", "a")], tmp_path)
    assert drawn == [tmp_path / "a.svg", tmp_path / "b.svg"]
    assert (tmp_path / "cells-03.svg").is_file()
