"""The sentences of a document, of a template of pages, and of a help text."""

import re
from collections.abc import Iterator

MOST_WORDS = 22
_CODE = re.compile(r"^```.*?^```|^\$\$.*?\$\$|<!--.*?-->", re.MULTILINE | re.DOTALL)
_GOES_ON = re.compile(r"([,;])\n\s*(?:[-*]|\d+\.) ")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_END = re.compile(r"(?<=[.!?])[\"')*]*\s+")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|vs|St|Dr|cf|abs)\.")
_TAG = re.compile(
    r"<(script|style|svg|code|pre)\b.*?</\1>|<(?:/?(?:a|b|i|em|strong|span|abbr|bdi)\b)[^>]*>",
    re.DOTALL,
)
_BLOCK = re.compile(r"<[^>]*>")
_STATEMENT = re.compile(r"\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_VALUE = re.compile(r"\{\{.*?\}\}", re.DOTALL)


def of_markdown(text: str) -> Iterator[str]:
    """Yield the sentences of a document: of paragraphs, items of lists, parts of cells of tables.

    An item that ends with a comma or a semicolon goes on in the next one.
    """
    text = _GOES_ON.sub(r"\1 ", _CODE.sub("\n\n", text))
    for block in re.split(r"\n\s*\n|\n(?=\s*(?:[-*#>] |\||\d+\. ))", text):
        if re.match(r"\s*\|", block):
            for part in re.split(r"(?<!\\)\||[;:] ", block):
                yield from _sentences(part)
        else:
            yield from _sentences(re.sub(r"^\s*(?:[-*#>]+|\d+\.)\s+", "", block))


def of_template(text: str) -> Iterator[str]:
    """Yield the sentences of a template of pages, with each inserted value as one word."""
    text = _VALUE.sub("7", _STATEMENT.sub(" ", text))
    for block in _BLOCK.split(_TAG.sub(" ", text)):
        yield from _sentences(block)


def of_help(text: str) -> Iterator[str]:
    """Yield the sentences of a help text."""
    for block in re.split(r"\n\s*\n|\n(?=  )", text.replace("\b", "")):
        yield from _sentences(block)


def _sentences(block: str) -> Iterator[str]:
    plain = _LINK.sub(r"\1", block)
    plain = re.sub(r"`[^`]*`", "CODE", plain)
    plain = _ABBREVIATION.sub("CODE", plain)
    for sentence in _END.split(" ".join(plain.split())):
        if sentence.strip():
            yield sentence.strip()


def words(sentence: str) -> int:
    """Count words: what has a letter or a digit. A number with its interval is one."""
    sentence = re.sub(r"-?[\d.,]+ \[[^\]]*\]", "7", sentence)
    sentence = re.sub(r"(?<=\d) (?=%)", "", sentence)
    return sum(bool(re.search(r"\w", word)) for word in sentence.split())


def prose(text: str) -> str:
    """Return a document's or a template's words without code, links' addresses and values."""
    plain = _CODE.sub(" ", _LINK.sub(r"\1", text))
    plain = _VALUE.sub(" ", _STATEMENT.sub(" ", plain))
    return re.sub(r"`[^`]*`", " ", _BLOCK.sub(" ", _TAG.sub(" ", plain)))
