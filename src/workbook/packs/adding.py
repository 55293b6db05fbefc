"""Puts a pack into a workbook."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from workbook import building, catalog, layout, progress, transaction
from workbook.author.rules import workbook_faults
from workbook.catalog import Catalog
from workbook.errors import BrokenWorkbook, UsageError
from workbook.model import Problem
from workbook.packs.pack import Pack
from workbook.packs.renumber import prerequisites, renumbered
from workbook.transaction import Step


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


def tried_in(book: Catalog, pack: Pack, folder: Path) -> tuple[Catalog, Problem, list[str]]:
    """Put the pack into a copy of the workbook in an empty folder: that workbook, the problem there, and new faults.

    Raises UsageError where its files cannot even be read.
    """
    building.learners_copy(book, folder)
    for name, content in pack.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    try:
        problem = catalog.read_problem(folder, folder / pack.settings)
        for built in building.stubs(problem):
            building.write(built)
    except BrokenWorkbook as error:
        raise UsageError(f"{error} Nothing was changed.") from None
    copy = catalog.load(folder)
    known = {fault for _, faults in workbook_faults(book) for fault in faults}
    faults = [fault for _, faults in workbook_faults(copy) for fault in faults if fault not in known]
    return copy, problem, faults


def put_in(book: Catalog, pack: Pack, tried: Problem) -> Problem:
    """Put a pack's files, and the stubs built from them, into the workbook: all or none.

    Args:
        tried: the problem in the copy where it was checked.

    Raises UsageError where a file is there already or cannot be written.
    """
    files = dict(pack.files)
    for name in layout.built(pack.stem):
        if (tried.root / name).is_file():
            files[name] = (tried.root / name).read_bytes()
    files[pack.settings] = files.pop(pack.settings)  # last: it makes the problem one
    steps = [Step(name, content, "") for name, content in files.items()]
    steps += progress.forgotten(book.root, [pack.number])
    try:
        transaction.change(book.root, "add", steps)
    except OSError as error:
        raise UsageError(f"The problem cannot be put in ({error.strerror or error}): nothing was changed.") from None
    return catalog.load(book.root).problem(pack.number)
