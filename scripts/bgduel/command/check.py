"""`bgrating check`: test whether `decide` and `tournament` can play a program by UBGI."""

import tempfile
from pathlib import Path

import click

from bgrating.command import JSON, SETTINGS, tell
from bgrating.command.numbers import Number
from bgrating.engine.side_names import UBGI


@click.command(context_settings=SETTINGS)
@click.argument("program")
@click.option("--option", multiple=True, metavar="NAME=VALUE", help="an option of the program")
@click.option(
    "--answer-limit",
    type=Number(0, min_open=True),
    metavar="S",
    default=5.0,
    show_default=True,
    help="seconds for an answer; 10 more to load",
)
@JSON
def command(program: str, option: tuple[str, ...], answer_limit: float, *, as_json: bool) -> int:
    """Check whether PROGRAM, a command, speaks UBGI.

    It tries its commands, stray lines, and ten positions.

    Each line is a check with the line that was read. "none" is something that the specifications
    leave open. PROGRAM may take as much memory as the shell allows (ulimit -v). Exit status: 0 if
    nothing fails, 2 otherwise, 1 an error.

    \b
    Examples:
      bgrating check ./engine
      bgrating check "./engine --fast" --option engine.ply=1
    """
    from bgduel.programs import command_of, options_of  # noqa: PLC0415
    from bgduel.ubgi_check import FAIL, checks  # noqa: PLC0415

    side = command_of(f"{UBGI}{program.removeprefix(UBGI)}", options_of(option))
    results = []
    with tempfile.TemporaryDirectory(prefix="bgrating-") as folder:
        for check in checks(side, answer_limit, Path(folder, "log")):
            results.append(check._asdict())
            if not as_json:
                read = f": {check.read}" if check.read else ""
                click.echo(f"{check.verdict}  {check.what}{read}")
    failed = sum(check["verdict"] == FAIL for check in results)
    answer = {"command": "check", "program": program, "checks": results, "failed": failed}
    text = f"{failed} of the checks failed." if failed else "Nothing failed."
    tell(answer, text, as_json=as_json)
    return 2 if failed else 0
