"""`workbook add`: tries a pack in a copy of the workbook, and puts it in where no rule is broken."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from workbook.cli import shared
from workbook.cli.command import author_command
from workbook.errors import UsageError
from workbook.text import shown


@author_command
def add(
    pack: Annotated[Path, typer.Argument(metavar="PACK", help="a folder, zip or git checkout with one problem")],
    number: Annotated[int | None, typer.Option("--as", metavar="N", help="give it this number")] = None,
    prerequisite: Annotated[
        list[str] | None,
        typer.Option(metavar="OLD=NEW", help="which problem here is the pack's prerequisite OLD; none drops it"),
    ] = None,
) -> int:
    """Check a problem's pack and put it into the workbook (for authors)."""
    book = shared.open_catalog(may_be_empty=True)

    from workbook.author.packs.fitting import fitted
    from workbook.author.packs.pack import read_pack

    fitting = fitted(book, read_pack(pack), number, _mapped(prerequisite or []))
    console = shared.console()

    from workbook.cli.author.check import prove, report_rule
    from workbook.grading.engine import Engine

    folder = Path(tempfile.mkdtemp(prefix="workbook-add-"))
    try:
        engine = Engine(book)
        try:
            server = engine.start(fork=True)  # while this process has run nothing of the pack

            from workbook.author.packs import adding

            copy, tried, faults = adding.tried_in(book, fitting, folder)
            broken = int(report_rule("it fits into this workbook", faults))
            broken += prove(Engine(copy, _server=server), tried)
        finally:
            engine.close()
        if broken:
            console.print(f"{broken} rule{'s' if broken != 1 else ''} broken: nothing was put in.")
            return 1
        problem = adding.put_in(book, fitting, tried)
    except OSError as error:
        raise UsageError(f"The pack cannot be tried ({error.strerror or error}): nothing was changed.") from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    console.print(f"Problem {problem.number} · {problem.title} is in. Its stub is {shown(problem.exercise)}.")
    console.print(f"`{shared.command()} build` lists it in README.md.")
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
