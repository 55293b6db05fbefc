"""The learner's functions inside a notebook: imported anew at each entry, and never a traceback.

This is for looking at what they do. The verdict is not made here, since the learner's code runs in this process.
"""

from __future__ import annotations

import linecache
import sys
import traceback
from types import ModuleType, TracebackType
from typing import Any

from workbook.content.problem import Problem
from workbook.errors import WorkbookError
from workbook.text import clean

LONGEST = 300


class Unusable(WorkbookError):
    """The learner's file, or a name of it, cannot be had. The message is the line that the learner reads."""


class Yours:
    """`with lesson.yours() as yours: yours.name(...)`. Whatever fails inside is told in one line, and the notebook goes
    on after the `with`."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._module: ModuleType | None = None

    def __enter__(self) -> Yours:
        self._module = None
        return self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # such as IPython's questions about how to show this object
            raise AttributeError(name)
        if self._module is None:
            self._module = self._load()
        try:
            return getattr(self._module, name)
        except AttributeError:
            where = self._problem.relative(self._problem.exercise)
            raise Unusable(f"{where} does not define {name}: `%grade {self._problem.number}` says more.") from None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if error is None or not isinstance(error, Exception | SystemExit):
            return False  # an interrupt of the kernel is the learner's wish
        print(clean(self._told(error), limit=2 * LONGEST))
        return True

    def _load(self) -> ModuleType:
        path = self._problem.exercise
        try:
            source = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            raise Unusable(
                f"{self._problem.relative(path)} cannot be read: "
                f"`workbook reset {self._problem.number}` brings the stub back."
            ) from None
        linecache.checkcache(str(path))
        module = ModuleType(f"workbook_yours_{self._problem.stem}")
        module.__file__ = str(path)
        sys.modules[module.__name__] = module  # dataclasses look for their module there
        exec(compile(source, str(path), "exec", dont_inherit=True), module.__dict__)
        return module

    def _told(self, error: BaseException) -> str:
        if isinstance(error, Unusable):
            return str(error)
        number, file = self._problem.number, self._problem.relative(self._problem.exercise)
        what = _short(error)
        if isinstance(error, SyntaxError) and error.filename == str(self._problem.exercise):
            return f"{file}, line {error.lineno}: {error.msg}. Mend it, then run this cell again."
        own = [
            (frame.f_code.co_qualname.rpartition("<locals>.")[2], line)
            for frame, line in traceback.walk_tb(error.__traceback__)
            if frame.f_code.co_filename == str(self._problem.exercise)
        ]
        if not own:
            return f"What your code returned cannot be used here ({what}): `%grade {number}` says what is wrong."
        name, line = own[-1]
        if isinstance(error, NotImplementedError):
            return f"{name} is not written yet: this shows what it does once it is. Then run this cell again."
        where = f"{file}, line {line}" + (f" in {name}" if name != "<module>" else "")
        return f"Your code stopped at {where} ({what}): `%grade {number}` says more."


def _short(error: BaseException) -> str:
    try:
        text = " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(": ").rstrip(".")
    except Exception:  # the exception's own methods fail
        return type(error).__name__
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} …"
