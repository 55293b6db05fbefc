"""What a problem asks to be called, read from source text without running it: names, parameters, axes.

The pristine stub is the source: it ships everywhere, and its annotations carry the axes (`Float[Tensor, "batch dim"]`).
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field

from workbook.content.problem import Problem
from workbook.content.reading import read
from workbook.errors import BrokenWorkbook


@dataclass(frozen=True)
class Signature:
    """One function or method: parameters in order (without self), which have defaults, the axes of each tensor."""

    name: str
    parameters: tuple[str, ...]
    defaults: frozenset[str]
    axes: Mapping[str, tuple[str, ...]]
    returns: tuple[str, ...] = ()

    def split(self, arguments: tuple[object, ...]) -> tuple[tuple[object, ...], dict[str, object]]:
        """Positional arguments as they are to be passed: required ones by position, those with defaults by keyword."""
        named = list(zip(self.parameters, arguments, strict=False))
        positional = tuple(value for name, value in named if name not in self.defaults)
        return positional, {name: value for name, value in named if name in self.defaults}

    def text(self) -> str:
        shown = [f"{name}=..." if name in self.defaults else name for name in self.parameters]
        return f"{self.name}({', '.join(shown)})"


@dataclass(frozen=True)
class Interface:
    """The functions and classes that one source file defines at its top level."""

    functions: Mapping[str, Signature] = field(default_factory=dict)
    classes: Mapping[str, Mapping[str, Signature]] = field(default_factory=dict)

    def signature(self, target: str) -> Signature | None:
        """Signature of "function", "Class" (its __init__) or "Class.method"."""
        name, _, method = target.partition(".")
        if name in self.classes:
            return self.classes[name].get(method or "__init__")
        return self.functions.get(name)


def read_interface(source: str) -> Interface:
    """Signatures of all top-level functions and classes. Raises SyntaxError where the source does not parse."""
    functions: dict[str, Signature] = {}
    classes: dict[str, Mapping[str, Signature]] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef):
            functions[node.name] = _signature(node, method=False)
        elif isinstance(node, ast.ClassDef):
            methods = [item for item in node.body if isinstance(item, ast.FunctionDef)]
            classes[node.name] = {item.name: _signature(item, method=True) for item in methods}
    return Interface(functions, classes)


def _signature(node: ast.FunctionDef, *, method: bool) -> Signature:
    arguments = node.args
    listed = [*arguments.posonlyargs, *arguments.args]
    with_default = (
        {item.arg for item in listed[len(listed) - len(arguments.defaults) :]} if arguments.defaults else set()
    )
    with_default |= {
        item.arg
        for item, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        if default is not None
    }
    listed = [*(listed[1:] if method else listed), *arguments.kwonlyargs]
    return Signature(
        name=node.name,
        parameters=tuple(item.arg for item in listed),
        defaults=frozenset(with_default),
        axes={item.arg: _axes(item.annotation) for item in listed},
        returns=_axes(node.returns),
    )


def _axes(annotation: ast.expr | None) -> tuple[str, ...]:
    """The axis names in the first jaxtyping shape of an annotation, or () where it has none."""
    if annotation is None:
        return ()
    for node in ast.walk(annotation):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple) and len(node.slice.elts) == 2:
            shape = node.slice.elts[1]
            if isinstance(shape, ast.Constant) and isinstance(shape.value, str):
                return tuple(shape.value.split())
    return ()


def problem_interface(problem: Problem) -> Interface:
    """The signatures that the task asks for, from the pristine stub."""
    try:
        return read_interface(read(problem, problem.pristine, advice="run `workbook build`"))
    except SyntaxError as error:
        raise BrokenWorkbook(
            f"{problem.relative(problem.pristine)}, line {error.lineno}: {error.msg}: run `workbook build`."
        ) from None
