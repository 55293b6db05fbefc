"""The table of docs/security.md: layers, promises and every hostile submission, by environment."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from workbook.author.build.built_files import Built
from workbook.sandbox.environments import table

PAGE = Path("docs", "security.md")
TABLE = re.compile(r"<!-- environments -->\n.*?<!-- end of environments -->", re.DOTALL)


def security(root: Path) -> Iterator[Built]:
    """The page with its table made anew; nothing where a workbook has no such page."""
    page = root / PAGE
    if page.is_file():
        made = f"<!-- environments -->\n{table(hostile(root))}\n<!-- end of environments -->"
        yield Built(page, TABLE.sub(lambda _: made, page.read_text(encoding="utf-8")))


def hostile(root: Path) -> dict[str, tuple[str, ...]]:
    """For each hostile submission the layers of which any one holds it, as its docstring says under `Held by:`."""
    found = {}
    for path in sorted((root / "tests" / "hostile").glob("*.py")):
        text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        held = re.search(r"^Held by: (.*)$", text, re.MULTILINE)
        found[path.stem] = tuple(sorted(held[1].split())) if held else ("process",)
    return found
