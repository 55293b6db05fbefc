"""Text of unknown origin, made safe to show; and sentences, wrapped.

Untrusted text can move a terminal's cursor, turn the direction of a line, hide characters, or be impossible in XML.
After `clean`, what is shown is what is there, in a terminal as well as in XML, HTML (once escaped there) and JSON.
"""

from __future__ import annotations

import os
import re
import textwrap
import unicodedata
from pathlib import Path

LIMIT = 10_000

# Everything else of ASCII, and everything outside it, is looked at one character at a time.
_QUESTIONABLE = re.compile(r"[^\n\t\x20-\x7e]")

# Letters and marks that show nothing, beside those whose category says so: joiners, fillers, variation selectors.
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)


def clean(text: str, *, limit: int = LIMIT) -> str:
    r"""The text with every character that is not plainly visible written as an escape such as \x1b or \u202e.

    Newlines and tabs stay, \r\n becomes a newline, and spaces of other widths stay. Of a text of more than `limit`
    characters the middle is left out, and a line in its place says how many characters that is.
    """
    return _QUESTIONABLE.sub(_shown, "".join(_cut(text, limit)))


def one_line(text: str, *, limit: int = LIMIT) -> str:
    r"""The clean text of a name, or of a message with names in it: line breaks and tabs too become escapes."""
    # A note on what was cut stands on lines of its own.
    return clean(text, limit=limit).replace("\n", "\\n").replace("\t", "\\t")


def decode_output(data: bytes, *, limit: int = LIMIT) -> str:
    r"""The clean text of what a process wrote, as UTF-8. Bytes that are not UTF-8 become escapes such as \xff."""
    # The handler backslashreplace takes seconds for megabytes of wrong bytes, so that it only sees what is shown.
    head, note, tail = _cut(data.decode("utf-8", "surrogateescape"), limit)
    shown = (part.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace") for part in (head, tail))
    return _QUESTIONABLE.sub(_shown, note.join(shown))


def wrap(text: str, width: int = 100, indent: str = "") -> str:
    """The text with lines of at most `width` characters, each starting with `indent`.

    Newlines stay. A line that fits stays as it is; the continuation of one that does not is indented like its start.
    A word longer than a line is never broken.
    """
    return "\n".join(_wrap_line(line, width, indent) for line in text.split("\n"))


def _wrap_line(line: str, width: int, indent: str) -> str:
    if not line.strip():
        return ""
    if len(indent) + len(line) <= width:
        return indent + line
    start = line[: len(line) - len(line.lstrip())]
    return textwrap.fill(
        line.strip(),
        width,
        initial_indent=indent + start,
        subsequent_indent=indent + start,
        expand_tabs=False,
        replace_whitespace=False,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _cut(text: str, limit: int) -> tuple[str, str, str]:
    """Start, note and end of a text that is too long; otherwise the text and nothing."""
    text = text.replace("\r\n", "\n")
    if len(text) <= limit:
        return text, "", ""
    kept = limit // 2
    start, end = text[: limit - kept], text[len(text) - kept :]
    return start, f"\n[... {len(text) - limit} characters left out ...]\n", end


def _shown(match: re.Match[str]) -> str:
    character = match[0]
    # Of the characters that Python calls unprintable only the spaces of category Zs are harmless: the others are
    # controls, formats, surrogates, private, unassigned, and the separators of lines and paragraphs.
    visible = character.isprintable() or unicodedata.category(character) == "Zs"
    if visible and not _INVISIBLE.match(character):
        return character
    return character.encode("unicode_escape").decode("ascii")


def shown(path: Path) -> str:
    """A path from here, in one line that is safe to show."""
    return one_line(os.path.relpath(path))
