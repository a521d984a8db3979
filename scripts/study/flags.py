"""The settings of config/schemas/config.schema.yaml as options of a command line."""

import click

from bgrating.command.numbers import Number, WholeNumber
from bgrating.settings import SCHEMAS, load_yaml

SHORT = {"analysis": "level", "coefficients": "formula"}
KINDS = {"integer": WholeNumber(), "number": Number()}


def target() -> click.Command:
    """Return the command line of a target.

    Options that are not settings of ours go to Snakemake.
    """
    return click.Command(
        "TARGET",
        params=options(),
        epilog="All options of Snakemake too: .venv/bin/snakemake --help",
        context_settings={
            "allow_extra_args": True,
            "ignore_unknown_options": True,
            "help_option_names": ["-h", "--help"],
        },
    )


def options() -> list[click.Parameter]:
    found: list[click.Parameter] = []
    for key, about in load_yaml(SCHEMAS / "config.schema.yaml")["properties"].items():
        flags = [
            f"--{key}",
            f"--{key.replace('_', '-')}",
            f"--{SHORT.get(key, key)}",
        ]  # errors show the last
        names = dict.fromkeys([key, *flags])
        kind = KINDS.get(str(about["type"]))
        found.append(click.Option([*names], type=kind, metavar="VALUE", help=about["description"]))
    return found
