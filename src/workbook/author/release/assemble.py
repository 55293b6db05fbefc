"""Makes a release: a folder that grades without solutions, put in place in one step once everything in it is proven."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import workbook
from workbook.author.build import built_files, lessons
from workbook.author.copy import learners_copy
from workbook.author.release.hidden import cut_hidden
from workbook.author.release.keying import make_key
from workbook.author.release.proof import prove
from workbook.author.release.readme_and_project import readme, settings
from workbook.author.release.scan import leaks
from workbook.author.release.secrets import Secrets
from workbook.content import catalog, layout
from workbook.content.catalog import Catalog
from workbook.content.layout import RELEASE_FILE, RELEASE_VERSION
from workbook.content.reading import read, read_text
from workbook.errors import BrokenWorkbook, UsageError
from workbook.files.archive import write_zip
from workbook.grading.engine import Engine

AS_THEY_ARE = ("Makefile", "constraints.txt", ".gitignore", "LICENSE", "graders/conftest.py")
AUTHORS = ("author", "cli/author")  # folders of the engine that only authors use

Say = Callable[[str], None]


def release(book: Catalog, out: Path, *, zipped: bool, say: Say) -> None:
    """Make the release of a workbook in the folder `out`, and `out`.zip beside it.

    Nothing is left of one that fails. Raises UsageError where `out` is taken, a stub is stale, a solution does not pass,
    or the scan finds something.
    """
    for reason in book.broken.values():
        raise BrokenWorkbook(reason)
    _check_place(book, out, zipped)
    _check_fresh(book)
    secrets = Secrets()
    with tempfile.TemporaryDirectory(prefix="workbook-release-") as work, _staging(out) as staging:
        public, proof = Path(work, "public"), Path(work, "proof")
        hidden = _record_keys(book, public, secrets, say)
        tree = staging / "tree"
        tree.mkdir()
        _write_files(book, public, tree, hidden)
        say("Looking for solutions in what is to be released …")
        _refuse_leaks(leaks(tree, secrets))
        _write_list(book, tree, hidden)
        shutil.copytree(tree, proof)  # grading leaves caches, which are not to be released
        prove(book, proof, say)
        if zipped:
            write_zip(staging / "zip", {f"{out.name}/{name}": (tree / name).read_bytes() for name in _names(tree)})
            _put_zip(staging / "zip", _zip_path(out))
        try:
            os.rename(tree, out)
        except OSError as error:
            raise UsageError(f"{out} cannot be made: {error.strerror}.") from None


def _check_place(book: Catalog, out: Path, zipped: bool) -> None:
    if (book.root / RELEASE_FILE).is_file():
        raise UsageError("This is a released copy, which has no answers to record: release from the full workbook.")
    if out.is_symlink() or (out.exists() and (not out.is_dir() or any(out.iterdir()))):
        raise UsageError(f"{out} is there already: give --out a folder that is empty or not there yet.")
    if out.resolve() == book.root.resolve() or book.root.resolve().is_relative_to(out.resolve()):
        raise UsageError(f"{out} contains the workbook itself: give --out another folder.")
    if not out.parent.is_dir():
        raise UsageError(f"{out.parent} does not exist: make it first.")
    if zipped and _zip_path(out).is_dir():
        raise UsageError(f"{_zip_path(out)} is a folder: remove it, or leave --zip out.")


def _zip_path(out: Path) -> Path:
    return out.with_name(f"{out.name}.zip")


def _check_fresh(book: Catalog) -> None:
    for problem in book.problems:
        for built in built_files.stubs(problem):
            if built.stale:
                raise UsageError(f"{built.path.relative_to(book.root)} is stale: run `workbook build` first.")


@contextmanager
def _staging(out: Path) -> Iterator[Path]:
    """A folder beside `out`, gone at the end. Those that killed runs have left are removed too."""
    prefix = f".{out.name}.partial-"
    for old in out.parent.iterdir():
        if old.name.startswith(prefix) and not _runs(old.name.removeprefix(prefix)):
            shutil.rmtree(old, ignore_errors=True)
    staging = out.with_name(f"{prefix}{os.getpid()}")
    try:
        staging.mkdir()
    except OSError as error:
        raise UsageError(f"{out.parent} cannot be written: {error.strerror}.") from None
    try:
        yield staging
    except OSError as error:
        raise UsageError(f"{out} cannot be made: {error.strerror or error}.") from None
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _runs(number: str) -> bool:
    """Whether a process of this number is there."""
    try:
        os.kill(int(number), 0)
    except (ValueError, ProcessLookupError):
        return False
    except OSError:
        return True
    return True


def _record_keys(book: Catalog, public: Path, secrets: Secrets, say: Say) -> dict[str, int]:
    """Make a copy of the workbook without hidden checks, and record its keys there.

    The number of hidden checks of each problem, by its stem.
    """
    public.mkdir()
    learners_copy(book, public)
    hidden: dict[str, int] = {}
    for problem in book.problems:
        name = problem.relative(problem.grader)
        checks = read(problem, problem.grader)
        shown, hidden[problem.stem] = cut_hidden(checks, name)
        (public / name).write_text(shown, encoding="utf-8")
        stub = read(problem, problem.pristine)
        secrets.add(checks, shown, name)
        secrets.add(read(problem, problem.solution), stub, problem.relative(problem.solution))
        if problem.pitfalls.is_file():
            secrets.add(read(problem, problem.pitfalls), stub, problem.relative(problem.pitfalls))
    engine = Engine(catalog.load(public))
    for problem in engine.catalog.problems:
        lessons.make(engine.catalog, problem)  # a notebook as its source makes it, whatever was tried out in it
    try:
        for problem in engine.catalog.problems:
            say(f"Recording the answer key of problem {problem.number} …")
            make_key(engine, problem, hidden[problem.stem], problem.key)
    finally:
        engine.close()
    return hidden


def _write_files(book: Catalog, work: Path, tree: Path, hidden: dict[str, int]) -> None:
    """Everything but the list of it. What is not named here is not released."""
    for problem in book.problems:
        for name in layout.released(problem.stem):
            if (work / name).is_file():
                _copy(work / name, tree / name)
    engine = book.root / "src" / "workbook"
    if not engine.is_dir():
        engine = Path(workbook.__file__).parent  # a workbook of content alone, graded by an engine installed elsewhere
    for path in sorted(engine.rglob("*")):
        relative = path.relative_to(engine)
        authors = any(relative.is_relative_to(folder) for folder in AUTHORS)
        if path.is_file() and "__pycache__" not in relative.parts and not authors:
            _copy(path, tree / "src" / "workbook" / relative)
    for name in AS_THEY_ARE:
        if (book.root / name).is_file():
            _copy(book.root / name, tree / name)
    project = book.root / "pyproject.toml"
    _write(tree / project.name, settings(read_text(project)))
    page = book.root / "README.md"
    text = read_text(page) if page.is_file() else f"# {book.title}\n"
    text = built_files.with_problems(text, book)
    _write(tree / "README.md", readme(text, {problem.number: hidden[problem.stem] for problem in book.problems}))


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def _write(target: Path, text: str) -> None:
    target.write_text(text, encoding="utf-8")


def _refuse_leaks(found: list[str]) -> None:
    if found:
        raise UsageError("Nothing was released, because it would give answers away:", *found)


def _write_list(book: Catalog, tree: Path, hidden: dict[str, int]) -> None:
    files = {name: hashlib.sha256((tree / name).read_bytes()).hexdigest() for name in _names(tree)}
    problems = {problem.stem: {"hidden": hidden[problem.stem]} for problem in book.problems}
    made = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())), UTC)
    data = {
        "version": RELEASE_VERSION,
        "workbook": book.title,
        "made": f"{made:%Y-%m-%d %H:%M:%S}",
        "files": files,
        "problems": problems,
    }
    _write(tree / RELEASE_FILE, json.dumps(data, indent=1, ensure_ascii=False) + "\n")


def _names(tree: Path) -> list[str]:
    return sorted(path.relative_to(tree).as_posix() for path in tree.rglob("*") if path.is_file())


def _put_zip(made: Path, path: Path) -> None:
    """The zip goes first; one of the same bytes is what a run left that was killed right after."""
    if path.exists() and path.read_bytes() != made.read_bytes():
        raise UsageError(f"{path} is there already: move it away, or leave --zip out.")
    os.replace(made, path)
