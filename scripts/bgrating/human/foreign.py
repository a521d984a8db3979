"""Formats other than match text: those the engine reads by itself, and those a library converts."""

from collections.abc import Callable

ENGINE_FORMATS = {suffix: "auto" for suffix in (".sgf", ".sgg", ".tmg", ".gam", ".pos", ".bkg")}
"""Suffixes of formats that gnubg imports, with its word for the import."""


class ConversionError(Exception):
    """A file cannot be converted; the message says why, in one line."""


def _refuse(suffix: str) -> Callable[[bytes], bytes]:
    def refuse(_data: bytes) -> bytes:
        raise ConversionError(f"{suffix} is not converted: export it as text (.mat or .txt)")

    return refuse


CONVERTERS: dict[str, Callable[[bytes], bytes]] = {suffix: _refuse(suffix) for suffix in (".xg", ".bgf")}
"""Suffixes of formats that are converted to match text. A converter raises ConversionError."""
