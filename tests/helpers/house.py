"""The engine's folders and what each imports, read from the sources, and the drawing of them in CONTRIBUTING.md.

`python tests/helpers/house.py` writes the drawing anew.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "workbook"
DESIGN = ROOT / "docs" / "design.md"
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
BEGIN, END = "<!-- house: made by `python tests/helpers/house.py` -->\n```\n", "```\n<!-- end of house -->"
# Modules that stand outside of the folder they belong to, since others know them by their addresses.
BELONGS = {"plugin": "grading", "pitfalls": "content", "__main__": "cli"}
MODULES = sorted(SOURCE.rglob("*.py"))


def part(name: str) -> str:
    """The room of a module, told by its dotted name below `workbook`: its folder, or the module itself."""
    first = name.split(".")[0]
    return "cli/author" if name.startswith("cli.author") else BELONGS.get(first, first)


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts)


def imported(path: Path) -> set[str]:
    """The dotted names below `workbook` that a file imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} uses a relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        found |= {name.removeprefix("workbook.") for name in names if name.startswith("workbook.")}
    return found


def imports(path: Path) -> set[str]:
    """The rooms that a file imports, its own left out."""
    return {part(name) for name in imported(path)} - {part(module_name(path))}


def rooms() -> dict[str, set[str]]:
    """Every room and those that it imports."""
    found: dict[str, set[str]] = {}
    for path in MODULES:
        if path != SOURCE / "__init__.py":
            found.setdefault(part(module_name(path)), set()).update(imports(path))
    found["cli"].discard("cli/author")  # cli/app adds the authors' commands where they are
    return found


def layers() -> list[list[str]]:
    """The rows of the table in docs/design.md, highest first: the names in the first column."""
    section = DESIGN.read_text(encoding="utf-8").partition("\n## Layers\n")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    return [re.findall(r"`([\w/]+)`", row) for row in rows]


def drawing() -> str:
    """The rooms in the order of their layers, each with those that it stands on, as far as no other says so already."""
    below = rooms()
    order = [room for row in layers() for room in row]

    def reached(room: str) -> set[str]:
        return below[room].union(*(reached(other) for other in below[room]))

    lines = []
    for row in layers():
        for room in row:
            further = {another for other in below[room] for another in reached(other)}
            direct = [other for other in order if other in below[room] - further]
            lines.append(f"{room:<12} {('─▶ ' + ', '.join(direct)) if direct else ''}".rstrip())
        lines.append("")
    return "\n".join(lines[:-1]) + "\n"


def drawn() -> str:
    """The drawing as it stands in CONTRIBUTING.md."""
    return CONTRIBUTING.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]


if __name__ == "__main__":
    text = CONTRIBUTING.read_text(encoding="utf-8")
    CONTRIBUTING.write_text(text.replace(BEGIN + drawn() + END, BEGIN + drawing() + END), encoding="utf-8")
