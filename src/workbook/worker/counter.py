"""How often a method of an object is called while something else of it runs."""

from __future__ import annotations

import contextlib
import inspect
import sys
import types
from collections.abc import Iterator
from typing import Any


class Counter:
    """Counts the calls of one method of an object: those by its name, and those of its code by whatever other name (an
    alias, a bound method kept since the constructor). Of the two counts the larger is true: a compiled method runs no
    code of its own, and an alias is not the name."""

    def __init__(self, owner: Any, method: str) -> None:
        """Raises AttributeError where the object has no such method."""
        self.owner = owner
        self.method = method
        self.found = getattr(owner, method)
        self._by_name = 0
        self._by_code = 0

    @property
    def calls(self) -> int:
        return max(self._by_name, self._by_code)

    @contextlib.contextmanager
    def counting(self) -> Iterator[None]:
        with self._names(), self._codes():
            yield

    @contextlib.contextmanager
    def _names(self) -> Iterator[None]:
        hook = getattr(self.found, "register_forward_pre_hook", None)
        if hook is not None:  # a module of torch's, which cannot be replaced by a function
            handle = hook(self._named)
            try:
                yield
            finally:
                handle.remove()
            return
        # A method set on the instance hides the class's.
        place = self.owner if self.method in getattr(self.owner, "__dict__", {}) else type(self.owner)
        had_own = self.method in vars(place)
        original = inspect.getattr_static(place, self.method)
        bound = not isinstance(place, type)

        def counted(*arguments: Any, **keywords: Any) -> Any:
            self._named()
            if bound or not hasattr(original, "__get__"):
                return original(*arguments, **keywords)
            return original.__get__(arguments[0], type(arguments[0]))(*arguments[1:], **keywords)

        setattr(place, self.method, counted)
        try:
            yield
        finally:
            if had_own:
                setattr(place, self.method, original)
            else:
                delattr(place, self.method)

    @contextlib.contextmanager
    def _codes(self) -> Iterator[None]:
        code = _code_of(self.found)
        if code is None:
            yield
            return

        def note(frame: types.FrameType, event: str, argument: Any) -> None:
            if event == "call" and frame.f_code is code:
                self._by_code += 1

        before = sys.getprofile()
        sys.setprofile(note)
        try:
            yield
        finally:
            sys.setprofile(before)

    def _named(self, *_: Any) -> None:
        self._by_name += 1


def _code_of(function: Any) -> types.CodeType | None:
    """The code of the Python function that stands behind decorators and a bound method; None where there is none."""
    with contextlib.suppress(ValueError):  # a wrapper that wraps itself
        function = inspect.unwrap(function)
    code = getattr(function, "__code__", None)
    return code if isinstance(code, types.CodeType) else None
