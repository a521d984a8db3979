"""Which boards are judged at 4-ply: errors that quizzes have judged again, in an order that the seed decides."""

import pandas as pd

from bgrating.analysis.second_look import QUIZ
from study.people.quiz import drawn


def test_boards_are_the_costliest_errors_of_every_player_in_a_random_order() -> None:
    losses = [0.01, 0.02, *(0.1 + place / 1000 for place in range(QUIZ + 5))]
    table = pd.DataFrame(
        [
            {"file": "a.mat", "match": 1, "game": 1, "ply": ply, "kind": "play", "player": player, "loss_emg": loss}
            for player, count in (("ann", 2), ("bob", len(losses)))
            for ply, loss in enumerate(losses[:count])
        ]
    )
    boards = drawn(table)
    assert boards["player"].value_counts().to_dict() == {"bob": QUIZ, "ann": 1}
    assert boards.loc[boards["player"] == "bob", "loss_emg"].min() > 0.1045
    assert boards.equals(drawn(table.sample(frac=1.0, random_state=1)))
    assert not boards.equals(drawn(table, seed=1))
