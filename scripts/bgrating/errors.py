"""The root of every error that a user can mend."""


class BgratingError(Exception):
    """Something is wrong that the user can mend; the message names it and says how."""
