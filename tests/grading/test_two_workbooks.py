"""Two workbooks with different problems on one machine, graded alternately: neither knows of the other."""

from __future__ import annotations

from pathlib import Path

from helpers.workbooks import workbook

from workbook.author.build import built_files
from workbook.author.new import new_problem
from workbook.content import catalog
from workbook.grading.engine import Engine
from workbook.grading.grading import Grading, Task
from workbook.grading.session import grade


def make_workbook(root: Path, slug: str, step: str) -> catalog.Catalog:
    """A workbook whose problem 7 adds up; `step` is what its solution does at each step."""
    root.mkdir()
    (root / "pyproject.toml").write_text(f'[tool.workbook]\ntitle = "{root.name}"\n', encoding="utf-8")
    problem = new_problem(catalog.load(root, may_be_empty=True), 7, slug)
    text = problem.solution.read_text(encoding="utf-8")
    problem.solution.write_text(text.replace("total = total + x[:, t]", step), encoding="utf-8")
    for built in built_files.stubs(problem):
        built_files.write(built)
    return catalog.load(root)


def test_graded_alternately_in_one_process_and_by_command(tmp_path, engine):
    books = [
        make_workbook(tmp_path / "sums", "total", "total = total + x[:, t]"),
        make_workbook(tmp_path / "doubled", "total", "total = total + 2 * x[:, t]"),  # the same name, another problem
        make_workbook(tmp_path / "halved", "half", "total = total + x[:, t] / 2"),
    ]
    engines = [Engine(book, _server=engine.start()) for book in books]
    sources = [book.problems[0].solution.read_text(encoding="utf-8") for book in books]
    for _ in range(2):
        for own, (book, each) in enumerate(zip(books, engines, strict=True)):
            for other, source in enumerate(sources):
                slug = book.problems[0].slug
                answer = source.replace(f"def {books[other].problems[0].slug}(", f"def {slug}(")
                report = grade(Grading(each, [Task.of(book.problems[0], answer)]))
                assert report.workbook == book.root.name
                assert (report.problems[0].verdict == "passed") == (own == other), (own, other)
                assert report.problems[0].slug == slug
    for _ in range(2):
        for own, book in enumerate(books):
            for other in (0, 1):
                done = workbook("grade", "7", "--file", books[other].problems[0].solution, cwd=book.root)
                assert done.code == (0 if own == other else 1)
        workbook("hint", "7", cwd=books[0].root, code=0)
    assert not (books[1].root / ".workbook" / "progress.json").exists()
