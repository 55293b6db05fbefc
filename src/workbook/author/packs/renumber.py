"""Gives a pack another number: in its files' names, and wherever its files speak of it or of its prerequisites."""

from __future__ import annotations

import re
from collections.abc import Mapping

from workbook.author.packs.pack import Pack
from workbook.content.layout import path_of
from workbook.content.reading import parse_toml
from workbook.errors import UsageError

# Where a number is that of a problem: in prose, in our commands, in make, and in a notebook.
SPOKEN = re.compile(
    r"\b[Pp]roblem\s+\d+\b"
    r"|\b[Pp]roblems\s+\d+(?:(?:,\s+|,?\s+(?:and|or|to)\s+)\d+\b)*"
    r"|\bworkbook\s+(?:grade|hint|solution|reset|watch|notebook|check|remove)\s+\d+\b"
    r"|\bmake\s+[a-z-]+\s+N=\d+\b"
    r"|^\s*%%?(?:solve|grade|hint)\s+\d+\b"
    r"|\bLesson\(\d+\b",
    re.MULTILINE,
)
LIST = re.compile(r"^prerequisites[ \t]*=[ \t]*\[[^\]]*\]", re.MULTILINE)
TEXT = (".py", ".toml", ".md", ".json")


def renumbered(pack: Pack, numbers: Mapping[int, int | None]) -> Pack:
    """The pack with problem numbers exchanged: its own, and those of prerequisites; None drops a prerequisite.

    Raises UsageError where a text is not UTF-8 or its list of prerequisites cannot be edited.
    """
    if all(old == new for old, new in numbers.items()):
        return pack
    own = numbers.get(pack.number) or pack.number
    stem = f"p{own:02d}_{pack.slug}"
    files = {}
    for name, content in pack.files.items():
        if stem != pack.stem and name == path_of("recorded", pack.stem):
            continue  # it holds digests of files that change
        new = content
        if name.endswith(TEXT):
            try:
                text = content.decode("utf-8")
            except UnicodeDecodeError:
                raise UsageError(f"{name} is not valid UTF-8: it cannot be renumbered.") from None
            new = _reworded(text, numbers).replace(pack.stem, stem).encode()
        files[name.replace(pack.stem, stem)] = new
    settings = path_of("settings", stem)
    kept = [here for old in prerequisites(pack) if (here := numbers.get(old, old)) is not None]
    files[settings] = with_prerequisites(files[settings], kept, settings)
    slugs = {here: slug for old, slug in pack.prerequisites.items() if (here := numbers.get(old, old)) is not None}
    return Pack(stem, files, slugs)


def prerequisites(pack: Pack) -> list[int]:
    """The numbers of the problems that a pack builds on. What is no list of numbers is left to the check."""
    listed = parse_toml(pack.files[pack.settings]).get("prerequisites", [])
    return [number for number in listed if type(number) is int] if isinstance(listed, list) else []


def with_prerequisites(settings: bytes, numbers: list[int], name: str) -> bytes:
    """A problem's TOML text with another list of prerequisites, and nothing else changed."""
    before = parse_toml(settings)
    if before.get("prerequisites", []) == numbers:
        return settings
    text = LIST.sub(f"prerequisites = {numbers}", settings.decode("utf-8"), count=1)
    if parse_toml(text.encode()) != {**before, "prerequisites": numbers}:
        raise UsageError(f"{name}: its prerequisites cannot be changed: write them as `prerequisites = {numbers}`.")
    return text.encode()


def _reworded(text: str, numbers: Mapping[int, int | None]) -> str:
    def number(match: re.Match[str]) -> str:
        return str(numbers.get(int(match[0])) or match[0])

    return SPOKEN.sub(lambda spoken: re.sub(r"\d+", number, spoken[0]), text)
