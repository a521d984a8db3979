"""Match texts that hypothesis draws: changed ones, and lines of several."""

import random

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

import match_texts
from text_changes import LINES, named

_CHANGES = named(*LINES)
SOURCES = [match_texts.TEXTS[name].encode() for name in ("gnubg", "galaxy", "studio", "unlimited")]
SHORT = settings(max_examples=150, suppress_health_check=list(HealthCheck))
LINE = st.sampled_from([line for text in SOURCES for line in text.decode().splitlines()])
CHANGED = st.builds(
    lambda source, other, name, seed: _CHANGES[name](source, other, random.Random(seed)),
    st.sampled_from(SOURCES),
    st.sampled_from(SOURCES),
    st.sampled_from(sorted(_CHANGES)),
    st.integers(0, 2**32),
)

TEXTS = CHANGED | st.lists(LINE | st.text(max_size=30), max_size=30).map(
    lambda lines: "\n".join(lines).encode()
)
