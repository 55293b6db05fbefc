"""Imports run one way: a module imports only from layers below its own, or its own package."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "workbook"
# Lowest first. A name stands for a module or a whole package.
LAYERS = (
    (
        "errors",
        "model",
        "ambient",
        "text",
        "sandbox",
        "landlock",
        "namespaces",
        "seccomp",
        "privileges",
        "processes",
        "transaction",
        "layout",
    ),
    ("wire", "catalog", "signatures", "pitfalls", "compare", "wording", "report", "notebook", "archive"),
    ("calls",),
    ("learner",),
    ("grader",),
    ("lesson",),
    ("engine",),
    ("plugin",),
    ("run",),
    ("stubs", "progress"),
    ("learning", "updating"),
    ("watching", "kernel"),
    ("building",),
    ("author",),
    ("packs", "release"),
    ("cli",),
)
ORDER = {name: number for number, names in enumerate(LAYERS) for name in names}
# Within the lowest layer `sandbox` is put together from its parts.
ALLOWED_BESIDE = {("sandbox", part) for part in ("landlock", "namespaces", "privileges", "seccomp")}
ALLOWED_BESIDE.add(("namespaces", "privileges"))
# What the learner's side may know. It never holds a reference or a comparison.
LEARNER_MAY_IMPORT = {"wire", "sandbox", "processes", "errors", "ambient", "text", "calls", "learner"}
MODULES = sorted(
    path for path in SOURCE.rglob("*.py") if path.name not in ("__main__.py",) and path.parent.name != "__pycache__"
)


def part(path: Path) -> str:
    relative = path.relative_to(SOURCE)
    return relative.parts[0].removesuffix(".py")


def imports(path: Path) -> set[str]:
    """The parts of the engine that a file imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} uses a relative import"
            names = [
                f"{node.module}.{alias.name}" if node.module == "workbook" else str(node.module) for alias in node.names
            ]
        found |= {name.split(".")[1] for name in names if name.startswith("workbook.")}
    return found


def test_every_module_has_a_layer():
    parts = {part(path) for path in MODULES if path.parent != SOURCE or path.name != "__init__.py"}
    assert parts == set(ORDER) & parts, f"without a layer: {parts - set(ORDER)}"
    assert len(MODULES) > 25


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_run_one_way(path):
    if path == SOURCE / "__init__.py":
        assert imports(path) == {"kernel"}  # inside the function that IPython calls
        return
    own = part(path)
    for other in imports(path) - {own}:
        below = ORDER[other] < ORDER[own]
        beside = ORDER[other] == ORDER[own] and (
            own in ("report", "compare", "wording") or (own, other) in ALLOWED_BESIDE
        )
        assert below or beside, f"{path.name} (layer of {own}) imports {other}"


@pytest.mark.parametrize("package", ["learner", "calls", "wire"])
def test_the_learners_side_knows_nothing_of_the_grader(package):
    for path in sorted((SOURCE / package).glob("*.py")):
        assert imports(path) <= LEARNER_MAY_IMPORT, path.name


def test_starting_the_command_imports_neither_torch_nor_pytest():
    import subprocess
    import sys

    code = (
        "import sys, workbook.cli.app, workbook.cli.shared\n"
        "print(sorted(set(sys.modules) & {'torch', 'numpy', 'pytest', 'msgpack', 'matplotlib', 'IPython', 'nbformat'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
