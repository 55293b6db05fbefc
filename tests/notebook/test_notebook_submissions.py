"""`workbook grade N --file x.ipynb`: the %%solve cells in the pristine stub, and one clear line for a bad notebook."""

from __future__ import annotations

import json

import pytest
from helpers.grading import result_of
from helpers.workbooks import PROBLEMS, workbook

from workbook.boundary.submission import find_submission
from workbook.errors import UsageError
from workbook.notebook import cells
from workbook.workspace import exercise

SCAN = PROBLEMS[0]
LAYER = PROBLEMS[1]
RIGHT = """def sequential_scan(a, b, h0=None):
    h = torch.zeros_like(a[:, 0]) if h0 is None else h0
    states = []
    for t in range(a.shape[1]):
        h = a[:, t] * h + b[:, t]
        states.append(h)
    return torch.stack(states, dim=1)
"""
STUB = SCAN.pristine.read_text(encoding="utf-8").partition("\n\n\n")[2]


def code(source: str, **more) -> dict:
    return {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": [], "source": source, **more}


def solve(source: str, number: int = 1) -> dict:
    return code(f"%%solve {number}\n{source}")


def notebook(*listed: dict) -> bytes:
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(listed)}).encode()


def assembled(*listed: dict) -> cells.Assembled:
    return cells.assemble(notebook(*listed), 1, SCAN.pristine.read_text(encoding="utf-8"))


@pytest.fixture
def grade_notebook(grade_file, tmp_path):
    """Grade a notebook's bytes as a submission for problem 1."""

    def run(content: bytes, name: str = f"{SCAN.stem}.ipynb"):
        path = tmp_path / name
        path.write_bytes(content)
        return grade_file(SCAN, path)

    return run


def test_the_cells_pass_wherever_they_stand_and_no_other_cell_is_run(grade_notebook, tmp_path):
    trap = tmp_path / "ran"
    result = grade_notebook(
        notebook(
            code(f"open({str(trap)!r}, 'w')"),
            {"cell_type": "markdown", "metadata": {}, "source": f"%%solve 1\n{RIGHT}"},
            solve(STUB),
            code("this is ( no Python"),
            solve("import math\n\n\ndef helper(x):\n    return math.fabs(x)\n\n" + RIGHT),
            code("%%solve 11\nthis is ( no Python"),
            solve(RIGHT + "    # a copy with another comment\n"),
            code([" \n", "%%solve 1 \n", "LIMIT = 3\n"]),
        )
    )
    assert result.verdict == "passed"
    assert result.file.endswith(".ipynb")
    assert not trap.exists()


def test_definitions_of_several_cells_come_together():
    source = assembled(solve("SCALE = 2\n"), solve(RIGHT.replace("+ b", "+ SCALE * b")), solve("SCALE = 2\n")).source
    assert source.index("SCALE = 2") < source.index("def sequential_scan(a, b, h0=None)")
    assert source.count("SCALE = 2") == 1
    assert source.startswith('"""Problem 1: sequential linear-recurrence scan.')


def test_an_untouched_notebook_is_not_started(grade_notebook):
    assert grade_notebook(notebook(solve(STUB))).verdict == "not_started"


def test_an_exception_names_the_cell_and_its_line(grade_notebook):
    broken = RIGHT.replace("states = []", "states = []\n    missing(h)")
    result = grade_notebook(notebook(code("x = 1"), code(f"\n\n%%solve 1\n{broken}")))
    first = result.checks[0].message
    assert "cell 2, line 7, in sequential_scan: missing(h)" in first
    assert "NameError" in first


def test_a_failing_input_is_pasted_below_the_definitions(grade_notebook):
    wrong = RIGHT.replace(" if h0 is None else h0", "")
    shown = "\n".join(item.message for item in grade_notebook(notebook(solve(wrong))).checks)
    assert "to paste into Python below your definitions:" in shown
    assert f"from {SCAN.stem} import" not in shown
    assert "ignores h0" in shown


BAD = {
    "not json": (b'{"cells": [', "is not a notebook (not JSON)"),
    "not utf-8": (b"\xff\xfe\x00", "is not a notebook (not JSON)"),
    "deeply nested": (b"[" * 200_000, "is not a notebook (not JSON)"),
    "a list": (b"[]", "has no nbformat"),
    "other json": (b'{"nbformat": "4"}', "has no nbformat"),
    "no cells": (b'{"nbformat": 4}', "its cells are damaged"),
    "strange cells": (b'{"nbformat": 4, "cells": [3]}', "its cells are damaged"),
    "too old": (b'{"nbformat": 2, "worksheets": []}', "its format is nbformat 2: open it in JupyterLab"),
    "too new": (b'{"nbformat": 5, "cells": []}', "its format is nbformat 5"),
    "empty": (notebook(), "has no cell that begins with %%solve 1"),
    "of another problem": (notebook(solve(RIGHT, 11)), "has no cell that begins with %%solve 1"),
    "two answers": (
        notebook(code("x"), solve(RIGHT), solve(RIGHT.replace("dim=1", "dim=0"))),
        "cells 2 and 3 define sequential_scan in two ways: keep the one that counts.",
    ),
    "a magic": (notebook(solve(f"%timeit 3\n{RIGHT}")), "cell 1, line 2: `%timeit 3` is for IPython, not Python"),
    "a shell line": (notebook(solve(f"{RIGHT}!pip install x\n")), "cell 1, line 9: `!pip install x` is for IPython"),
    "a question": (notebook(solve(f"{RIGHT}torch.stack?\n")), "cell 1, line 9: `torch.stack?` is for IPython"),
    "no Python": (notebook(solve("def f(:\n")), "cell 1, line 2: invalid syntax: def f(:"),
    "not definitions": (notebook(solve(f"{RIGHT}print(1)\n")), "cell 1, line 9: `print(1)` defines nothing"),
    "a huge solution": (notebook(solve(f"x = '{'a' * 2_000_000}'\n{RIGHT}")), "its solution is larger than 1 MB"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_notebook_is_one_clear_line(case, grade_notebook):
    content, says = BAD[case]
    result = grade_notebook(content)
    assert result.verdict == "failed"
    assert result.score == 0
    messages = {item.message for item in result.checks}
    assert len(messages) == 1
    (message,) = messages
    assert message.startswith(f"{SCAN.stem}.ipynb cannot be graded: ")
    assert says in message
    assert "\n" not in message


def test_an_older_notebook_is_read(grade_notebook):
    old = {
        "cell_type": "code",
        "input": ["%%solve 1\n", RIGHT],
        "outputs": [],
        "collapsed": False,
        "language": "python",
    }
    sheets = [{"cells": [{"cell_type": "heading", "level": 1, "source": "x"}]}, {"cells": [old]}]
    for content in (
        {"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": sheets},
        {"nbformat": 4, "nbformat_minor": 0, "metadata": {}, "cells": [solve(RIGHT)]},
    ):
        assert grade_notebook(json.dumps(content).encode()).verdict == "passed"


def test_fifty_megabytes_of_outputs_are_read_and_more_than_a_hundred_are_refused(tmp_path, engine):
    path = tmp_path / f"{SCAN.stem}.ipynb"

    def with_outputs(size: int) -> None:
        output = {"output_type": "stream", "name": "stdout", "text": "x" * size}
        path.write_bytes(notebook(code("y", outputs=[output]), solve(RIGHT)))

    with_outputs(50 * 2**20)
    found = find_submission(SCAN, path)
    assert found.fault == ""
    assert b"states.append(h)" in found.source
    with_outputs(100 * 2**20)
    assert find_submission(SCAN, path).fault == (
        f"{SCAN.stem}.ipynb cannot be graded: it is larger than 100 MB: clear its outputs and save it."
    )


def test_a_link_and_a_folder_are_no_notebook(tmp_path):
    (tmp_path / "real.ipynb").write_bytes(notebook(solve(RIGHT)))
    link = tmp_path / "link.ipynb"
    link.symlink_to(tmp_path / "real.ipynb")
    assert "is a link to another file" in find_submission(SCAN, link).fault
    (tmp_path / f"{SCAN.stem}.ipynb").write_bytes(notebook(solve(RIGHT)))
    with pytest.raises(UsageError, match=f"has {SCAN.stem}.ipynb but no {SCAN.stem}.py: grade the notebook itself"):
        find_submission(SCAN, tmp_path)


def test_the_places_of_a_class(engine, tmp_path):
    stub = LAYER.pristine.read_text(encoding="utf-8")
    solution = exercise.solution_text(LAYER).partition("\n\n\n")[2]
    made = cells.assemble(notebook(code("x"), solve(solution, 11)), 11, stub)
    assert len(made.places) == len(made.source.splitlines())
    at = made.source.splitlines().index("class GatedLinearRecurrentLayer:")
    assert made.places[at] == "cell 2, line 2"
    assert made.places[0] == ""
    path = tmp_path / "mine.ipynb"
    path.write_bytes(notebook(code("x"), solve(solution, 11)))
    assert result_of(engine, LAYER, path).verdict == "passed"


def test_the_command_and_its_exit_codes(copy, tmp_path):
    path = tmp_path / f"{SCAN.stem}.ipynb"
    path.write_bytes(notebook(solve(RIGHT)))
    assert "Passed: 21 of 21" in workbook("grade", "--file", path, cwd=copy, code=0).out
    other = path.rename(tmp_path / "homework.ipynb")
    assert "is not named like a stub" in workbook("grade", "--file", other, cwd=copy, code=2).err
    data = json.loads(workbook("grade", "1", "--file", other, "--json", cwd=copy, code=0).out)
    assert data["problems"][0]["file"].endswith("homework.ipynb")
    other.write_bytes(b"no notebook")
    shown = workbook("grade", "1", "--file", other, cwd=copy, code=1).out
    assert shown.count("is not a notebook") == 1
    assert not (copy / ".workbook").exists()


def test_a_folder_with_a_notebook_and_no_file(copy, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / f"{SCAN.stem}.ipynb").write_bytes(notebook(solve(RIGHT)))
    alone = workbook("grade", "1", "--file", tmp_path / "in", cwd=copy, code=2).err
    assert f"has {SCAN.stem}.ipynb but no {SCAN.stem}.py: grade the notebook itself" in alone
    assert alone.count("\n") == 1
    listed = workbook("grade", "--file", tmp_path / "in", cwd=copy, code=2).err
    assert f"{SCAN.stem}.ipynb is not graded: grade it by itself" in listed
