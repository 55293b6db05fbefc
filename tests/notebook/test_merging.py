"""%%solve on text: definitions take the place of the same-named ones, and nothing else changes."""

from __future__ import annotations

import ast
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbook.author.build.placeholders import solve_cell
from workbook.notebook.merging import CannotMerge, merge, take_apart, without_unchanged

FILE = '''"""Problem 7."""

import numpy as np
from torch import nn, Tensor  # two

# above
LIMIT = 3  # beside


@staticmethod
def first(x):
    """Say what it is.

    At length.
    """
    raise NotImplementedError  # here
    # below


# between
class Second:
    """A class.

    In full.
    """

    def method(self):
        """Do it.

        >>> 1
        """
        return LIMIT


if __name__ == "__main__":
    first(1)
'''


def solved(cell: str, file: str = FILE) -> str:
    return merge(file, take_apart(cell)).text


def test_a_definition_takes_the_place_of_the_old_one_with_decorators_and_trailing_comments():
    new = solved("def first(x):\n    return x\n    # done\n")
    assert new == FILE.replace(
        FILE[FILE.index("@staticmethod") : FILE.index("\n\n# between")], "def first(x):\n    return x\n    # done\n"
    )


def test_everything_else_stays_byte_for_byte():
    odd = FILE.replace("# above\n", "# above \t\x0c é\u2028\n\n\n").replace("\n", "\r\n")
    new = solved("def first(x):\n    return x\n", odd)
    before, after = odd.split("@staticmethod")[0], odd.split("# below\r\n")[1]
    assert new == before + "def first(x):\r\n    return x\r\n" + after


def test_a_constant_is_replaced_and_a_new_one_comes_before_its_first_use():
    new = solved(
        "LIMIT = 4\nDEPTH = 2\n\n\ndef helper(x):\n    return x * DEPTH\n\n\ndef first(x):\n    return helper(x)\n"
    )
    assert "LIMIT = 4\n" in new
    assert "LIMIT = 3" not in new
    order = [new.index(text) for text in ("LIMIT = 4", "DEPTH = 2", "def helper", "def first", "class Second")]
    assert order == sorted(order)
    assert "return x * DEPTH\n\n\ndef first" in new
    assert solved("LIMIT = 4\nDEPTH = 2\n\n\ndef helper(x):\n    return x * DEPTH\n", new) == new


def test_what_nothing_uses_yet_comes_before_the_definitions():
    new = solved("DEPTH = 2\n")
    assert new.index("DEPTH = 2") < new.index("@staticmethod")
    ast.parse(new)
    exec(solved("def first(x, depth=DEPTH):\n    return x\n", new), {"__name__": "file"})
    assert solved("x = 1\n", "") == "x = 1\n"
    assert solved("x = 1\n", "y = 2") == "y = 2\n\n\nx = 1\n"


def test_what_a_new_name_needs_at_once_stays_before_it():
    new = solved("TWICE = LIMIT * 2\n\n\nclass Third(Second):\n    pass\n\n\ndef late():\n    return Second\n")
    order = [
        new.index(text)
        for text in ("LIMIT = 3", "TWICE = ", "def late", "@staticmethod", "class Second", "class Third")
    ]
    assert order == sorted(order)
    assert new.index("class Third") < new.index("if __name__")


def test_only_missing_imports_are_added():
    new = solved("import math\nimport numpy as np\nfrom torch import Tensor, tensor\n\n\ndef first(x):\n    return x\n")
    assert "from torch import nn, Tensor  # two\nimport math\nfrom torch import tensor\n\n# above" in new
    assert new.count("import numpy as np") == 1


@pytest.mark.parametrize(
    ("file", "start"),
    [
        ('"""Text."""\n\nx = 1\n', '"""Text."""\n\nfrom __future__ import annotations\n'),
        ("x = 1\n", "from __future__ import annotations\nimport math\nx = 1\n"),
        ("import os\n\nx = 1\n", "from __future__ import annotations\nimport os\nimport math\n\nx = 1\n"),
    ],
)
def test_imports_where_a_file_has_none_and_from_the_future(file, start):
    new = solved("from __future__ import annotations\nimport math\nx = 1\n", file)
    assert new.startswith(start)
    assert "import math\n" in new
    ast.parse(new)


def test_the_files_longer_docstring_stays_where_the_cell_has_its_first_line():
    cell = 'class Second:\n  """A class."""\n\n  def method(self):\n    """Do it."""\n    return 5\n'
    new = solved(cell)
    assert "    In full.\n" in new
    assert "        >>> 1\n" in new
    assert "return 5" in new
    own = solved(cell.replace("A class.", "My class."))
    assert "In full." not in own
    assert ast.get_docstring(ast.parse(own).body[-2]) == "My class."


def test_an_untouched_cell_of_ours_changes_nothing(book):
    for problem in book.problems:
        stub = problem.pristine.read_text(encoding="utf-8")
        names = [name.partition(".")[0] for name in problem.entry_points]
        cell = take_apart(solve_cell(list(dict.fromkeys(names)), problem.number, stub).partition("\n")[2])
        assert cell.pieces
        assert without_unchanged(cell, stub).pieces == ()
        assert merge(stub, cell).text == stub


def test_lines_know_where_they_come_from():
    merged = merge(FILE, take_apart("import math\n\ndef first(x):\n    return x\n"))
    lines = merged.text.splitlines()
    assert len(lines) == len(merged.origins)
    assert merged.origins[lines.index("    return x")] == 4
    assert merged.origins[lines.index("import math")] == 1
    old = FILE.splitlines()
    for line, origin in zip(lines, merged.origins, strict=True):
        assert origin >= 0 or old[-origin - 1] == line


@pytest.mark.parametrize(
    ("cell", "line", "says"),
    [
        ("def first(:\n", 1, "invalid syntax"),
        ("x = 1\nprint(x)\n", 2, "`print(x)` defines nothing"),
        ("x = 1; y = 2\n", 1, "two statements share a line"),
        ("def f():\n    pass\n\ndef f():\n    pass\n", 4, "f is defined twice"),
        ("x.y = 1\n", 1, "defines nothing"),
        ("x += 1\n", 1, "defines nothing"),
        ("for x in range(3):\n    pass\n", 1, "defines nothing"),
        ("def f():\n    pass\n\nreturn 3\n", 4, "outside function"),
        ("x = '\x00'\n", 0, "null"),
        ("x = " + "(" * 500 + ")" * 500 + "\n", 1, "parenthes"),
    ],
)
def test_a_cell_that_is_no_list_of_definitions(cell, line, says):
    with pytest.raises(CannotMerge, match=re.escape(says)) as caught:
        take_apart(cell)
    assert not caught.value.in_file
    assert caught.value.line in (line, 1)


@pytest.mark.parametrize(
    ("file", "says"),
    [
        ("def first(:\n", "invalid syntax"),
        ("first = 1; y = 2\n", "first stands there together with something else"),
        ("first, y = 1, 2\n", "first stands there together with something else"),
    ],
)
def test_a_file_that_cannot_take_it(file, says):
    with pytest.raises(CannotMerge, match=says) as caught:
        solved("def first(x):\n    return x\n", file)
    assert caught.value.in_file


names = st.sampled_from(["first", "Second", "LIMIT", "fresh", "other"])
bodies = st.sampled_from(
    ["return 1", "return LIMIT", "return fresh(2)", '"""Do it."""\n    return other', "pass\n    # end"]
)


@given(st.lists(st.tuples(names, bodies), unique_by=lambda pair: pair[0], min_size=1))
def test_solving_twice_is_solving_once_and_gives_the_cells_definitions(pairs):
    cell = "\n\n".join(f"def {name}():\n    {body}" for name, body in pairs)
    once = solved(cell)
    assert solved(cell, once) == once
    wanted = {node.name: ast.unparse(node.body[-1]) for node in ast.parse(cell).body}
    found = {
        node.name: ast.unparse(node.body[-1]) for node in ast.parse(once).body if isinstance(node, ast.FunctionDef)
    }
    assert wanted.items() <= found.items()
    assert '"""Problem 7."""\n\nimport numpy as np\nfrom torch import nn, Tensor  # two\n' in once
