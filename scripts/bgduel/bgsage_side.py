"""Play one side of a match with bgsage over UBGI: `python bgsage_side.py LEVEL`."""

import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1]))
from bgsage import BgBotAnalyzer
from bgsage.analyzer import bgbot_cpp, resolve_owner

from bgmatch import board
from bgmatch.board import BAR, OFF
from bgmatch.position import CENTRE, OTHER, OWN, Position, read_xgid


def points(mover: list[int], opponent: list[int]) -> list[int]:
    """Return a board as bgsage has it: the opponent's chequers negative, the bars at the ends."""
    return [opponent[BAR], *board.points_of(mover, opponent)[1:]]


def cube(position: Position) -> dict[str, object]:
    """Return the cube and the score in bgsage's words."""
    return {
        "cube_value": position.cube,
        "cube_owner": {CENTRE: "centered", OWN: "player", OTHER: "opponent"}[position.owner],
        "away1": position.length - position.score,
        "away2": position.length - position.opponent_score,
        "is_crawford": position.crawford,
    }


def move(analyzer: BgBotAnalyzer, position: Position, dice: tuple[int, int]) -> str:
    """Return bgsage's play in the words of UBGI."""
    mover = list(position.player)
    opponent = list(position.opponent)
    legal = {tuple(points(*boards)): hops for hops, *boards in board.plays(mover, opponent, dice)}
    if not legal:
        return "pass"
    answer = analyzer.checker_play(points(mover, opponent), *dice, **cube(position))
    best = tuple(answer.moves[0].board)
    if not any(count > 0 for count in best):  # the game is won, and a die may be left
        hops: list[tuple[int, int]] = []
        for source in range(6, 0, -1):
            hops += [(source, OFF)] * mover[source]
        legal.setdefault(best, tuple(hops))
    return " ".join(f"{source}/{target or 'off'}" for source, target in legal[best])


def cube_action(analyzer: BgBotAnalyzer, position: Position) -> Any:
    """Return bgsage's cube decision for the player about to roll.

    It has `should_double` and `should_take`. `BgBotAnalyzer.cube_action` reads all nets from their
    files each time. At one ply the same steps with loaded nets give the same answer 500 times
    faster.
    """
    mover = points(list(position.player), list(position.opponent))
    cube_state = cube(position)
    if analyzer._eval_level != "1ply":
        return analyzer.cube_action(mover, **cube_state)
    turned = bgbot_cpp.flip_board(mover)
    nets = analyzer._analyzer._inner._strategy_1ply
    chances = bgbot_cpp.invert_probs_py(nets.evaluate_board(turned, turned)["probs"])
    cube_state["owner"] = resolve_owner(cube_state.pop("cube_owner"))
    is_race = bgbot_cpp.is_race(mover)
    pips = bgbot_cpp.pip_counts(mover)
    efficiency = bgbot_cpp.cube_efficiency(chances, is_race, *pips)
    return bgbot_cpp.cube_decision_1ply(chances, cube_x=efficiency, **cube_state)


def action(analyzer: BgBotAnalyzer, position: Position) -> str:
    """Return bgsage's decision to double, or its answer to a double.

    bgsage answers from the doubler's position.
    """
    if not position.doubled:
        return "double" if cube_action(analyzer, position).should_double else "nodouble"
    doubler = position._replace(
        player=position.opponent,
        opponent=position.player,
        score=position.opponent_score,
        opponent_score=position.score,
        owner=CENTRE if position.owner == CENTRE else OWN,
    )
    return "take" if cube_action(analyzer, doubler).should_take else "drop"


def main() -> None:
    """Answer the referee's UBGI questions with bgsage at the level of the first argument."""
    level = sys.argv[1]
    analyzer = BgBotAnalyzer(eval_level=level, parallel_threads=1)
    name = f"bgsage {level} {version('bgsage')}"
    position = read_xgid("XGID=" + "-" * 26 + ":0:0:1:00:0:0:0:1:10")
    dice = (1, 2)
    for line in sys.stdin:
        match line.split():
            case ["ubgi"]:
                print(f"id name {name}\nproto 0.2\nubgiok")
            case ["isready"]:
                print("readyok")
            case ["position", "xgid", text]:
                position = read_xgid(text)
            case ["dice", first, second]:
                dice = (int(first), int(second))
            case ["go", "cube"]:
                print(f"bestcube {action(analyzer, position)}")
            case ["go", *_]:
                print(f"bestmove {move(analyzer, position, dice)}")
            case [] | ["newgame"] | ["keys"]:
                pass
            case _:
                print("error bad_command")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
