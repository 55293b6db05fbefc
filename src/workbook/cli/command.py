"""What every command file needs to declare its command: how it ends, whom it is for, and the numbers it takes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Annotated, NoReturn, ParamSpec

import typer

from workbook.cli import shared
from workbook.content import catalog
from workbook.content.layout import RELEASE_FILE
from workbook.errors import UsageError

Parameters = ParamSpec("Parameters")

Number = Annotated[int, typer.Argument(metavar="N", help="the problem's number")]
Numbers = Annotated[
    list[int] | None, typer.Argument(metavar="[N ...]", help="problem numbers; all where none is given")
]


def command(function: Callable[Parameters, int]) -> Callable[Parameters, NoReturn]:
    """Make a command of a function that returns its exit code. Its signature gives the options, its docstring the help."""

    @functools.wraps(function)
    def run(*args: Parameters.args, **kwargs: Parameters.kwargs) -> NoReturn:
        raise typer.Exit(function(*args, **kwargs))

    return run


def author_command(function: Callable[Parameters, int]) -> Callable[Parameters, NoReturn]:
    """`command`, refused in a released copy, which has neither the sources nor the modules for it."""

    @functools.wraps(function)
    def refuse_or_run(*args: Parameters.args, **kwargs: Parameters.kwargs) -> int:
        if (catalog.find_root() / RELEASE_FILE).is_file():
            raise for_authors(function.__name__)
        return function(*args, **kwargs)

    return command(refuse_or_run)


def for_authors(name: str) -> UsageError:
    return UsageError(
        f"`{shared.command()} {name}` is for authors, and this is a learner's copy: run it in the full workbook."
    )
