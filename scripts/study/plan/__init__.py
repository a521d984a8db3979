"""How many matches to play at each design point; here the checks of a plan's settings."""

from bgrating.settings import SettingsError


def asked_lengths(text: str) -> tuple[int, ...]:
    """Read match lengths such as `3,5,7`; nothing gives none. Raises SettingsError naming what is wrong."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    wrong = [part for part in parts if not part.isdecimal() or not 1 <= int(part) <= 25]
    if wrong:
        raise SettingsError(f"lengths={text}: {', '.join(wrong)} is not a match length of 1 to 25 points")
    return tuple(dict.fromkeys(int(part) for part in parts))


def require_one_of(half_width: float | None, hours: float | None) -> None:
    """Check that a plan has exactly one goal. Raises SettingsError."""
    if (half_width is None) == (hours is None):
        raise SettingsError(
            "plan wants one of halfwidth= (wanted half-width of every rating difference, points) and hours= (a budget "
            "of core-hours): ./run plan --halfwidth 15"
        )
