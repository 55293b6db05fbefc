"""What a lesson's source may leave open: {{ title }}, {{ signature NAME }}, {{ fact KEY:.3f }} and the like.

Each is filled from the problem's own files, so that no fact stands in two places.
"""

from __future__ import annotations

import ast
import html
import re
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbook.content import catalog
from workbook.content.hints import hint_text
from workbook.content.problem import Example, Problem
from workbook.content.signatures import Interface
from workbook.errors import BrokenWorkbook, UsageError

PLACEHOLDER = re.compile(r"\{\{\s*(\w+)([^{}]*)\}\}")
SOLVE = re.compile(r"^\{\{\s*solve\s+([\w\s]+?)\s*\}\}$", re.MULTILINE)
DIGITS = 6  # of a number in a listing
WIDEST = 88  # columns of a call on one line
NARROW = 64  # columns of a result on several


class Unfillable(Exception):
    """A placeholder that cannot be filled; the message says why."""


@dataclass(frozen=True)
class Sources:
    """What placeholders are filled from."""

    book: catalog.Catalog
    problem: Problem
    stub: str
    interface: Interface
    recorded: Mapping[str, np.ndarray]


def fill(text: str, sources: Sources) -> str:
    """The text with every placeholder filled. Raises Unfillable, with the placeholder as it stands."""

    def one(match: re.Match[str]) -> str:
        maker = MAKERS.get(match[1])
        if maker is None:
            known = ", ".join(MAKERS)
            raise Unfillable(f"{match[0]} is no placeholder: there are {known}, and solve alone on a line.")
        try:
            return maker(match[2].strip(), sources)
        except (Unfillable, UsageError, BrokenWorkbook) as error:
            raise Unfillable(f"{match[0]}: {error}") from None

    return PLACEHOLDER.sub(one, text)


def _title(rest: str, sources: Sources) -> str:
    return sources.problem.title


def _number(rest: str, sources: Sources) -> str:
    return str(sources.problem.number)


def _difficulty(rest: str, sources: Sources) -> str:
    return sources.problem.difficulty


def _prerequisites(rest: str, sources: Sources) -> str:
    before = [sources.book.problem(number) for number in sources.problem.prerequisites]
    named = [f"problem {problem.number} ({problem.title})" for problem in before]
    return " and ".join([", ".join(named[:-1]), named[-1]] if len(named) > 1 else named) or "none"


def _signature(rest: str, sources: Sources) -> str:
    return f"```python\n{signature(sources.stub, rest)}\n```"


def _hints(rest: str, sources: Sources) -> str:
    problem = sources.problem
    folded = []
    for number in range(1, len(problem.hints) + 1):
        text = _literal(hint_text(problem, number))
        folded.append(f"<details><summary>Hint {number}</summary>\n\n{text}\n\n</details>")
    return "\n".join(folded)


def _literal(text: str) -> str:
    """Plain text with `code` as Markdown that shows the same: __init__ is no bold init."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(
        part if part.startswith("`") else re.sub(r"([\\*_\[\]$])", r"\\\1", html.escape(part, quote=False))
        for part in parts
    )


def _example(rest: str, sources: Sources) -> str:
    found = next((item for item in sources.problem.examples if item.name == rest), None)
    if found is None:
        known = ", ".join(item.name for item in sources.problem.examples) or "none"
        raise Unfillable(f"the TOML file has no example {rest!r}: there are {known}.")
    return f"```python\n{listing(found, sources.interface)}\n```"


def _fact(rest: str, sources: Sources) -> str:
    key, _, form = rest.partition(":")
    try:
        return format(sources.recorded[key.strip()].item(), form.strip())
    except ValueError as error:
        raise Unfillable(f"it cannot be shown as one number ({error}).") from None


MAKERS: dict[str, Callable[[str, Sources], str]] = {
    "title": _title,
    "number": _number,
    "difficulty": _difficulty,
    "prerequisites": _prerequisites,
    "signature": _signature,
    "hints": _hints,
    "example": _example,
    "fact": _fact,
}


def solve_cell(names: list[str], number: int, stub: str) -> str:
    """The code cell in which the learner writes these definitions of the stub."""
    return "\n\n\n".join([f"%%solve {number}\n{_shortened(stub, names[0])}", *(_shortened(stub, n) for n in names[1:])])


def signature(stub: str, target: str) -> str:
    """A function's, a method's or a class's signature, annotations kept, as Python without bodies."""
    name, _, method = target.partition(".")
    node = _definition(stub, name)
    if isinstance(node, ast.ClassDef):
        methods = [item for item in node.body if isinstance(item, ast.FunctionDef) and method in ("", item.name)]
        if not methods:
            raise Unfillable(f"the stub does not define {target}.")
        if method:
            return _head(stub, methods[0], 0)
        base = _lines(stub, node.lineno, node.body[0].lineno - 1)[0]
        return "\n\n".join([f"{base}\n{_head(stub, methods[0], 4)}", *(_head(stub, item, 4) for item in methods[1:])])
    if method:
        raise Unfillable(f"the stub does not define {target}.")
    return _head(stub, node, 0)


def listing(example: Example, interface: Interface) -> str:
    """A hand example as a call and what it returns."""
    given = dict(example.arguments)
    call = example.call
    owner, _, method = call.partition(".")
    if method:
        constructor = interface.signature(owner)
        first = {name: given.pop(name) for name in (constructor.parameters if constructor else ())}
        call = f"{_call(owner, first)}.{method}"
    note = f", rounded to {example.decimals} places" if example.decimals is not None else ""
    text = f"{_call(call, given)}\n{_result(_value(example.returns), note)}"
    rounded = [number for number in _numbers([example.arguments, example.returns]) if _short(number) != repr(number)]
    return f"{text}\n# (numbers are shown to {DIGITS} digits)" if rounded else text


def _result(value: str, note: str) -> str:
    """What a call gives, as comments that stay comments in a narrow window."""
    line = f"# gives {value}{note}"
    if len(line) <= WIDEST:
        return line
    parts = textwrap.wrap(value, NARROW, initial_indent="#   ", subsequent_indent="#   ", break_long_words=False)
    return "\n".join([f"# gives{note}:", *parts])


def _call(name: str, arguments: Mapping[str, Any]) -> str:
    shown = [f"{key}={_value(value)}" for key, value in arguments.items()]
    line = f"{name}({', '.join(shown)})"
    if len(line) <= WIDEST:
        return line
    return "\n".join([f"{name}(", *(f"    {item}," for item in shown), ")"])


def _value(value: Any) -> str:
    if isinstance(value, list):
        opening, closing = ("(", ")") if any(isinstance(item, dict) for item in value) else ("[", "]")
        return opening + ", ".join(map(_value, value)) + closing
    if isinstance(value, dict):
        return "{" + ", ".join(f'"{key}": {_value(item)}' for key, item in value.items()) + "}"
    return _short(value) if isinstance(value, float) else repr(value)


def _short(number: float) -> str:
    text = f"{number:.{DIGITS}g}"
    return text if any(sign in text for sign in ".en") else f"{text}.0"


def _numbers(value: Any) -> list[float]:
    if isinstance(value, list):
        return [number for item in value for number in _numbers(item)]
    if isinstance(value, Mapping):
        return [number for item in value.values() for number in _numbers(item)]
    return [value] if isinstance(value, float) else []


def _definition(stub: str, name: str) -> ast.FunctionDef | ast.ClassDef:
    for node in ast.parse(stub).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            return node
    raise Unfillable(f"the stub does not define {name}.")


def _head(stub: str, node: ast.AST, indent: int) -> str:
    """The lines of a `def` up to its colon."""
    assert isinstance(node, ast.FunctionDef)
    lines = _lines(stub, node.lineno, node.body[0].lineno - 1)
    text = "\n".join(" " * indent + line[node.col_offset :] for line in lines).rstrip()
    return f"{text[: text.rindex(':') + 1]} ..."


def _shortened(stub: str, name: str) -> str:
    """A definition of the stub, every docstring in it cut to its first line."""
    node = _definition(stub, name)
    lines = stub.splitlines()
    first = min([node.lineno, *(item.lineno for item in node.decorator_list)])
    for inner in sorted(ast.walk(node), key=lambda item: getattr(item, "lineno", 0), reverse=True):
        if not isinstance(inner, ast.FunctionDef | ast.ClassDef) or ast.get_docstring(inner) is None:
            continue
        docstring, line = inner.body[0], (ast.get_docstring(inner) or "").splitlines()[0]
        lines[docstring.lineno - 1 : docstring.end_lineno] = [f'{" " * docstring.col_offset}"""{line}"""']
    removed = len(stub.splitlines()) - len(lines)
    return "\n".join(lines[first - 1 : (node.end_lineno or 0) - removed])


def _lines(text: str, first: int, last: int) -> list[str]:
    return text.splitlines()[first - 1 : max(first, last)]
