"""`workbook add` and `workbook remove`."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from workbook.cli import shared
from workbook.errors import UsageError
from workbook.learning import shown


def add(path: Path, number: int | None, prerequisites: Sequence[str]) -> int:
    """Check a pack in a copy of the workbook and put it in; exit 1, and nothing changed, where a rule is broken."""
    book = shared.open_catalog(may_be_empty=True)

    from workbook.packs.fitting import fitted
    from workbook.packs.pack import read_pack

    pack = fitted(book, read_pack(path), number, _mapped(prerequisites))
    console = shared.console()

    from workbook.cli.authoring import prove, report_rule
    from workbook.engine import Engine

    folder = Path(tempfile.mkdtemp(prefix="workbook-add-"))
    try:
        engine = Engine(book)
        try:
            server = engine.start(fork=True)  # while this process has run nothing of the pack

            from workbook.packs import adding

            copy, tried, faults = adding.tried_in(book, pack, folder)
            broken = int(report_rule("it fits into this workbook", faults))
            broken += prove(Engine(copy, _server=server), tried)
        finally:
            engine.close()
        if broken:
            console.print(f"{broken} rule{'s' if broken != 1 else ''} broken: nothing was put in.")
            return 1
        problem = adding.put_in(book, pack, tried)
    except OSError as error:
        raise UsageError(f"The pack cannot be tried ({error.strerror or error}): nothing was changed.") from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    console.print(f"Problem {problem.number} · {problem.title} is in. Its stub is {shown(problem.exercise)}.")
    console.print(f"`{shared.command()} build` lists it in README.md.")
    return 0


def remove(number: int, out: Path | None, *, force: bool) -> int:
    """Take a problem out into a pack, and say where that is and what was kept of a learner's work."""
    book = shared.open_catalog()
    problem = book.problem(number)

    from workbook.packs.removing import take_out

    target = out if out is not None else book.root / "packs" / problem.stem
    removed = take_out(book, problem, target, force=force)
    console = shared.console()
    console.print(f"Problem {number} · {problem.title} is taken out. Its pack is {shown(target)}.")
    for kept in removed.kept:
        console.print(f"Kept a learner's work as {shown(book.root / kept)}.")
    for other in removed.changed:
        console.print(f"Problem {other.number} does not have it as a prerequisite any more.")
    readme = book.root / "README.md"
    if readme.is_file() and problem.stem in readme.read_text(encoding="utf-8", errors="replace"):
        console.print(f"README.md shows a report or session of {problem.stem}, which is gone: take it out there.")
    console.print(f"`{shared.command()} build` takes it out of the list in README.md.")
    return 0


def _mapped(prerequisites: Sequence[str]) -> dict[int, int | None]:
    """OLD=NEW or OLD=none of the command line, as numbers."""
    mapped: dict[int, int | None] = {}
    for text in prerequisites:
        old, sign, new = text.partition("=")
        if not sign or not old.isdecimal() or not (new == "none" or new.isdecimal()):
            raise UsageError(f"--prerequisite {text}: write OLD=NEW, two problem numbers, or OLD=none to drop it.")
        mapped[int(old)] = None if new == "none" else int(new)
    return mapped
