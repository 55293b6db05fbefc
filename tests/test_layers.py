"""Imports run one way, as the table in docs/design.md says: a module imports only from rows below its own."""

from __future__ import annotations

import subprocess
import sys

import pytest
from helpers.house import MODULES, SOURCE, drawing, drawn, imports, layers, module_name, part, rooms

ORDER = {name: -number for number, names in enumerate(layers()) for name in names}
# What the learner's process may know: never a reference or a comparison.
WORKER_MAY_IMPORT = {"wire", "sandbox", "errors", "text", "seeding"}


def test_every_room_has_one_row():
    assert set(rooms()) == set(ORDER)
    assert len(ORDER) == sum(len(row) for row in layers()) > 20


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_imports_run_one_way(path):
    if path == SOURCE / "__init__.py":
        assert imports(path) == {"kernel"}  # inside the function that IPython calls
        return
    own = part(module_name(path))
    for other in imports(path):
        upward = (module_name(path), other) == ("cli.app", "cli/author")  # it adds the authors' commands where they are
        assert upward or ORDER[other] < ORDER[own], f"{module_name(path)} (of {own}) imports {other}"


def test_the_learners_process_knows_nothing_of_the_grader():
    assert rooms()["worker"] <= WORKER_MAY_IMPORT


def test_only_authors_commands_import_author():
    assert {room for room, others in rooms().items() if "author" in others} == {"cli/author"}


def test_every_folder_says_what_it_is_for():
    for path in MODULES:
        if path.name == "__init__.py":
            assert path.read_text(encoding="utf-8").startswith('"""'), path


def test_the_drawing_in_contributing_is_that_of_the_imports():
    assert drawn() == drawing(), "run `python tests/helpers/house.py`"


def test_starting_the_command_imports_neither_torch_nor_pytest():
    code = (
        "import sys, workbook.cli.app, workbook.cli.shared\n"
        "print(sorted(set(sys.modules) & {'torch', 'numpy', 'pytest', 'msgpack', 'matplotlib', 'IPython', 'nbformat'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
