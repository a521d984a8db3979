"""The base class of errors that the user can fix."""


class BgmatchError(Exception):
    """Base class of errors that the user can fix; the message names the problem and the remedy."""


class WriteError(BgmatchError, ValueError):
    """A match cannot be written as it is asked for; the message gives the reason."""


class MatchTextError(BgmatchError):
    """The bytes are not a match text; the message gives the reason in one line."""
