"""Fits a pack into a workbook: its number there, and those of its prerequisites. Nothing is read but the catalog."""

from __future__ import annotations

from collections.abc import Mapping

from workbook.author.packs.pack import Pack
from workbook.author.packs.renumber import prerequisites, renumbered
from workbook.content import layout
from workbook.content.catalog import Catalog
from workbook.errors import UsageError


def fitted(book: Catalog, pack: Pack, number: int | None, mapped: Mapping[int, int | None]) -> Pack:
    """The pack with the numbers it has in this workbook.

    Args:
        number: its own number here; None for the one it has.
        mapped: further changes of prerequisites, old number to new; None drops one.

    Raises UsageError where the number is taken, a file of its name is there, or a prerequisite is not.
    """
    own = pack.number if number is None else number
    if not 1 <= own <= 99:
        raise UsageError(f"{own} is no number for a problem: use 1 to 99.")
    for known in (*(item.stem for item in book.problems), *book.broken):
        if known.startswith(f"p{own:02d}_"):
            raise UsageError(f"Problem {own} is there already ({known}): give the new one another number with --as N.")
    found = renumbered(pack, {pack.number: own, **_prerequisites(book, pack, mapped)})
    for name in (*found.files, *layout.built(found.stem)):
        if (book.root / name).exists() or (book.root / name).is_symlink():
            raise UsageError(f"{name} is there already: move it away, or give the problem another number with --as N.")
    return found


def _prerequisites(book: Catalog, pack: Pack, mapped: Mapping[int, int | None]) -> dict[int, int | None]:
    """What becomes of each prerequisite: as asked for, else the problem of the same name, else of the same number."""
    numbers: dict[int, int | None] = {}
    here = {problem.number: problem.slug for problem in book.problems}
    for old in mapped:
        if old not in prerequisites(pack):
            raise UsageError(f"The problem does not build on problem {old}: leave that --prerequisite out.")
    for old in prerequisites(pack):
        slug = pack.prerequisites.get(old)
        if old in mapped:
            new = mapped[old]
        elif slug is None or here.get(old) == slug:
            new = old
        else:
            new = next((number for number, known in here.items() if known == slug), None)
        dropped = old in mapped and new is None
        if new not in here and not dropped:
            name = f"{new or old}" + (f" ({slug})" if slug else "")
            raise UsageError(
                f"It builds on problem {name}, which is not in this workbook: add that first, "
                f"or say which it is with --prerequisite {old}=N, or drop it with --prerequisite {old}=none."
            )
        numbers[old] = new
    return numbers
