"""One decoder for texts, lists and aliases: right names, named rivals, or none that fits."""

import pytest

from bgmatch.decoder import NotTextError, decoded, words_of
from corpus import cases


@pytest.mark.parametrize(("encoding", "names", "outcome"), cases("encodings.names"))
def test_names_are_right_or_what_is_open_is_said(encoding: str, names: str, outcome: str) -> None:
    reading = decoded(names.encode(encoding))
    if outcome == "unknown":
        assert (reading.encoding, reading.note) == ("", "no encoding known here fits its words")
        return
    assert bool(reading.note) is not encoding.startswith("utf")
    assert reading.is_open is (outcome == "open")
    assert names in {reading.text, *(rival.text for rival in reading.rivals if rival.is_equal)}
    if outcome == "read":
        assert reading.text == names


@pytest.mark.parametrize(("word", "is_greek"), cases("encodings.greek"))
def test_a_last_letter_of_greek_words_stands_last(word: str, is_greek: bool) -> None:
    assert bool(words_of("Greek").fullmatch(word.lower())) is is_greek


@pytest.mark.parametrize(("written", "text"), cases("encodings.controls"))
def test_a_control_character_is_no_binary_file(written: str, text: str) -> None:
    data = written.encode("latin-1")
    if text in {"binary", "two encodings"}:
        with pytest.raises(NotTextError, match=text):
            decoded(data)
        return
    assert decoded(data).text == text


def test_a_name_is_read_again_in_every_rival() -> None:
    reading = decoded("Doğan".encode("cp1254"))
    assert reading.otherwise("Doğan")["cp1250"] == "Dođan"
    assert reading.otherwise("Bob") == {}
    assert reading.note == "it may be written in Windows-1254 (Doğan) or Windows-1250 (Dođan)"
