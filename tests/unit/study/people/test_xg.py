"""Verdicts beside XG's: levels on the same decisions, and what checked means."""

import pandas as pd
import pytest

from study.people.xg import SIDE, beside_xg


def test_differences_to_xg_at_three_levels() -> None:
    about = {"file": "a.xg", "match": 1, "game": 1, "kind": "play", "theme": "contact", "unforced": True}
    rows = [
        ("left", 0.10, 0.00, 0.00, "XG 4-ply"),  # an error at 0-ply only: acquitted
        ("left", 0.01, 0.03, 0.05, "XG 3-ply"),  # an error by XG: judged again
        ("right", 0.00, 0.04, 0.00, "XG 3-ply"),  # nobody's error: not judged again
        ("right", 0.00, 0.00, None, None),
    ]
    shallow = pd.DataFrame(
        [
            about | {"ply": ply, "side": side, "loss_emg": loss, "xg_loss_emg": xg, "xg_by": by}
            for ply, (side, loss, _, xg, by) in enumerate(rows)
        ]
    )
    deep = shallow.assign(loss_emg=[row[2] for row in rows])
    xg_pr = pd.Series({("a.xg", 1, "left"): 12.5, ("a.xg", 1, "right"): 0.0}, name="xg_pr").rename_axis(SIDE)
    found = beside_xg(shallow, deep, xg_pr).set_index("level")
    assert found["pr_difference"].to_dict() == pytest.approx({"0-ply": 7.5, "checked": -2.5, "2-ply": 2.5})
    assert found["loss_difference"].to_dict() == pytest.approx({"0-ply": 0.02, "checked": -0.02 / 3, "2-ply": 0.02 / 3})
    assert found["disagreements"].to_dict() == {"0-ply": 1, "checked": 0, "2-ply": 0}
    assert found["errors"].to_dict() == {"0-ply": 1, "checked": 1, "2-ply": 2}
    assert found["shared_errors"].to_dict() == {"0-ply": 0, "checked": 1, "2-ply": 1}
    assert set(found["xg_errors"]) == {1}
    assert set(found["n_decisions"]) == {3}
