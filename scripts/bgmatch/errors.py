"""The base class of errors that the user can fix."""


class BgmatchError(Exception):
    """Base class of errors that the user can fix; the message names the problem and the remedy."""


class MatchTextError(BgmatchError):
    """The bytes are not a match text; the message gives the reason in one line."""
