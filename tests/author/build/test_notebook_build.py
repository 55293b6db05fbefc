"""Notebooks are built from their Markdown: placeholders, ids, the same bytes, what is stale, what is a learner's."""

from __future__ import annotations

import json
import re

import nbformat
import numpy as np
import pytest
from helpers import notebooks as shared
from helpers.workbooks import workbook

from workbook.author.build import arrays, notebooks
from workbook.author.build.built_files import write
from workbook.author.build.placeholders import listing, signature
from workbook.author.new import new_problem
from workbook.content import catalog
from workbook.content.signatures import problem_interface
from workbook.errors import BrokenWorkbook
from workbook.lesson.recorded import About, as_bytes, read
from workbook.notebook.files import edited


@pytest.fixture
def made(tmp_path):
    """A workbook with one new problem, its notebook built."""
    (tmp_path / "pyproject.toml").write_text('[tool.workbook]\ntitle = "Made for tests"\n', encoding="utf-8")
    (tmp_path / "README.md").write_text("nothing to report\n", encoding="utf-8")
    new_problem(catalog.Catalog(tmp_path, "Made for tests", ()), 7, "total")
    return catalog.load(tmp_path)


@pytest.fixture
def problem(made):
    return made.problems[0]


def cells_of(made, text: str) -> list[dict]:
    """The cells that a lesson's text becomes."""
    made.problems[0].lesson.write_text(text, encoding="utf-8")
    return json.loads(notebooks.notebook(made, made.problems[0]).text)["cells"]


def text_of(made, text: str) -> str:
    (cell,) = cells_of(made, text)
    assert cell["cell_type"] == "markdown"
    return "".join(cell["source"])


def test_every_problem_has_a_lesson_and_a_notebook(book):
    for problem in book.problems:
        for path in (problem.lesson, problem.recipe, problem.recorded, problem.notebook):
            assert path.is_file(), path


def test_what_the_problem_says_is_filled_in(made):
    assert (
        text_of(made, "{{ number }}. {{title}}, {{ difficulty }}, {{ prerequisites }}")
        == "7. Running total, easy, none"
    )
    assert text_of(made, "{{ example powers }}") == (
        "```python\ntotal(x=[[1.0, 2.0, 4.0]])\n# gives [[1.0, 3.0, 7.0]]\n```"
    )
    assert text_of(made, "{{ signature total }}") == (
        '```python\ndef total(x: Float[Tensor, "batch length"]) -> Float[Tensor, "batch length"]: ...\n```'
    )
    assert text_of(made, "It ends at {{ fact totals/last:.2f }}.") == "It ends at 5.50."
    hints = text_of(made, "{{ hints }}")
    assert hints.count("<details><summary>Hint ") == hints.count("</details>") == 3
    assert "must give 1, 3, 7." in hints
    assert "x\\[:, t\\]" in hints  # shown as it is, by Markdown


def test_classes_and_examples_of_the_real_problems(book):
    for problem in book.problems:
        stub = problem.pristine.read_text(encoding="utf-8")
        for target in problem.entry_points:
            shown = signature(stub, target)
            assert shown.endswith(" ...")
            compile(shown, target, "exec")
            assert '"""' not in shown
    layer = book.problem(11)
    shown = signature(layer.pristine.read_text(encoding="utf-8"), "GatedLinearRecurrentLayer")
    assert re.findall(r"def (\w+)", shown) == ["__init__", "step", "forward"]


def test_code_is_left_alone_and_keeps_its_tags(made):
    source = 'x = {"a": {"b": f"{{ title }}"}}'
    (cell,) = cells_of(made, f'```python jupyter={{"source_hidden": true}} tags=["answer"] other=1\n{source}\n```\n')
    assert "".join(cell["source"]) == source
    assert cell["metadata"] == {"jupyter": {"source_hidden": True}, "tags": ["answer"]}


def test_a_solve_cell_stands_between_the_text_around_it(made):
    cells = cells_of(made, "Before {{ number }}.\n\n{{ solve total }}\n\nAfter.\n")
    assert [cell["cell_type"] for cell in cells] == ["markdown", "code", "markdown"]
    assert "".join(cells[1]["source"]) == (
        '%%solve 7\ndef total(x: Float[Tensor, "batch length"]) -> Float[Tensor, "batch length"]:\n'
        '    """The running total of each row."""\n    raise NotImplementedError("write total here")'
    )


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("x\n\n{{ nonsense }}", 3, "is no placeholder: there are title"),
        ("{{ fact totals/lost:.2f }}", 1, "there are totals/last"),
        ("{{ fact totals:.2f }}", 1, "cannot be shown as one number"),
        ("{{ fact totals/last:.2q }}", 1, "cannot be shown as one number"),
        ("{{ example lost }}", 1, "there are powers"),
        ("x\n\ny {{ signature lost }}", 3, "the stub does not define lost"),
        ("{{ signature total.step }}", 1, "the stub does not define total.step"),
        ("x\n{{ solve lost }}", 2, "the stub does not define lost"),
        ("in line {{ solve total }}", 1, "solve alone on a line"),
    ],
)
def test_a_placeholder_that_cannot_be_filled_names_file_and_line(made, text, line, says):
    with pytest.raises(BrokenWorkbook, match=re.escape(says)) as caught:
        cells_of(made, text)
    assert str(caught.value).startswith(f"notebooks/p07_total.md, line {line}: {{{{ ")


def test_ids_are_valid_unique_and_stay_with_their_text(made):
    text = "One.\n\n```python\nx = 1\n```\n\n```python\nx = 1\n```\n\nTwo.\n"
    before, after = cells_of(made, text), cells_of(made, f"New.\n\n```python\ny = 2\n```\n\n{text}")
    ids = [cell["id"] for cell in before]
    assert len(set(ids)) == len(ids) == 4
    assert [cell["id"] for cell in after[2:]] == ids
    nbformat.validate(nbformat.reads(notebooks.notebook(made, made.problems[0]).text, 4))


def test_twice_the_same_bytes(made, problem):
    first, second = (notebooks.notebook(made, problem).text for _ in range(2))
    assert first == second
    assert problem.notebook.read_text(encoding="utf-8") == first
    assert arrays.file_content(problem) == arrays.file_content(problem) == problem.recorded.read_bytes()


def test_many_arrays_give_the_same_bytes_whatever_their_order():
    arrays = {f"k{n}": np.full((n + 1,), n, dtype=("f4", "f8", "i8")[n % 3]) for n in range(20)}
    groups = {"one": ("a", "b"), "two": ("c",)}
    turned = dict(reversed(arrays.items()))
    assert as_bytes(arrays, About("x", groups)) == as_bytes(turned, About("x", dict(reversed(groups.items()))))


def test_nothing_of_a_run_or_of_a_machine_is_in_it(made, problem):
    data = json.loads(problem.notebook.read_text(encoding="utf-8"))
    assert all(not cell.get("outputs") and cell.get("execution_count") is None for cell in data["cells"])
    assert str(made.root) not in problem.notebook.read_text(encoding="utf-8")
    assert data["metadata"]["kernelspec"]["name"] == "python3"
    assert list(notebooks.faults(problem)) == []
    data["cells"][-1]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "x"}]
    problem.notebook.write_text(json.dumps(data), encoding="utf-8")
    assert "has an output or a number of a run" in next(notebooks.faults(problem))
    problem.lesson.write_text("See /home/me/notes.\n", encoding="utf-8")
    problem.notebook.unlink()
    write(notebooks.notebook(made, problem))
    assert "it names a path of one machine (/home/me" in next(notebooks.faults(problem))


def test_stale_arrays_are_told_by_their_sources(problem):
    assert not arrays.stale(problem)
    for path in (problem.solution, problem.pitfalls, problem.recipe):
        old = path.read_text(encoding="utf-8")
        path.write_text(old + "\n# changed\n", encoding="utf-8")
        assert arrays.stale(problem)
        path.write_text(old, encoding="utf-8")
        assert not arrays.stale(problem)
    problem.recorded.write_bytes(b"damaged")
    assert arrays.stale(problem)


def test_a_recipe_that_does_not_work_is_named(problem):
    def said(source: str) -> str:
        problem.recipe.write_text(source, encoding="utf-8")
        with pytest.raises(BrokenWorkbook) as caught:
            arrays.file_content(problem)
        return str(caught.value)

    start = "def record(solution, pitfalls):\n    return "
    assert said(f"{start}1 / 0\n") == (
        "solutions/lessons/p07_total.py failed (line 2, ZeroDivisionError: division by zero)."
    )
    assert "must return a dict" in said(f"{start}[]\n")
    assert "'A B' is no key" in said(f"{start}{{'A B': 1}}\n")
    assert "'x' must be numbers" in said(f"{start}{{'x': 'text'}}\n")
    assert "asks for the pitfall 'lost', which solutions/pitfalls/p07_total.py does not name" in said(
        f"{start}pitfalls['lost']\n"
    )


def test_a_group_of_curves_keeps_its_names(problem):
    recorded = read(problem.recorded)
    names = recorded.about.groups["mistakes"]
    assert "runs backwards in time" in names
    for number in range(len(names)):
        assert recorded[f"mistakes/{number}"].shape == recorded["mistakes/right"].shape


def test_build_says_what_is_stale_and_makes_it(made, problem):
    def build(*options: str, code: int) -> str:
        return workbook("build", *options, cwd=made.root, code=code).out

    assert build("--check", code=0).strip() == "All built files are fresh."
    problem.lesson.write_text("Another text.\n", encoding="utf-8")
    assert "stale  notebooks/p07_total.ipynb" in build("--check", code=1)
    assert "built  notebooks/p07_total.ipynb" in build(code=0)
    problem.recipe.write_text(problem.recipe.read_text(encoding="utf-8") + "\n# changed\n", encoding="utf-8")
    before = problem.recorded.read_bytes()
    assert "stale  notebooks/recorded/p07_total.safetensors" in build("--check", code=1)
    assert problem.recorded.read_bytes() == before
    assert "built  notebooks/recorded/p07_total.safetensors" in build(code=0)
    build("--check", code=0)


def test_an_edited_notebook_is_kept_and_outputs_alone_are_no_edit(made, problem):
    data = json.loads(problem.notebook.read_text(encoding="utf-8"))
    for cell in data["cells"]:
        cell["metadata"]["collapsed"] = True
        if cell["cell_type"] == "code":
            cell["execution_count"] = 3
            cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "x"}]
    data["cells"].append({"cell_type": "code", "id": "new", "metadata": {}, "outputs": [], "source": "  "})
    problem.notebook.write_text(json.dumps(data), encoding="utf-8")
    assert not edited(problem.notebook)
    assert "built  notebooks/p07_total.ipynb" in workbook("build", cwd=made.root, code=0).out
    data["cells"][0]["source"] += "\nMy note."
    mine = json.dumps(data)
    problem.notebook.write_text(mine, encoding="utf-8")
    assert edited(problem.notebook)
    problem.lesson.write_text("Another text.\n", encoding="utf-8")
    for options, code in ((["--check"], 1), ([], 0)):
        said = workbook("build", *options, cwd=made.root, code=code).out
        assert "kept   notebooks/p07_total.ipynb: it is edited" in said
        assert problem.notebook.read_text(encoding="utf-8") == mine


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b'{"cells": 3, "metadata": {}}', b"\xff\xfe"])
def test_what_is_no_notebook_counts_as_a_learners(problem, content):
    problem.notebook.write_bytes(content)
    assert edited(problem.notebook)
    problem.notebook.unlink()
    assert not edited(problem.notebook)


def test_a_committed_notebook_is_what_its_source_makes(book):
    """Of those that nobody has worked in: a learner's edits turn no test red."""
    for problem in book.problems:
        if not edited(problem.notebook) and not arrays.stale(problem):
            data = json.loads(problem.notebook.read_text(encoding="utf-8"))
            fresh = json.loads(notebooks.notebook(book, problem).text)
            assert [shared.plain(cell) for cell in data["cells"]] == [shared.plain(cell) for cell in fresh["cells"]]


def test_a_long_result_stays_a_comment(book):
    problem = book.problem(12)
    interface = problem_interface(problem)
    for example in problem.examples:
        shown = listing(example, interface)
        assert "# gives, rounded to 3 places:\n#   {" in shown
        assert all(len(line) <= 88 for line in shown.splitlines())
        compile(shown, example.name, "exec")
