"""Packs: what is read of them, what is refused, and how a problem goes in and out whole."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.interrupting import files, stopped_at
from helpers.workbooks import workbook

from workbook import transaction
from workbook.author.new import new_problem
from workbook.author.packs.adding import put_in, tried_in
from workbook.author.packs.fitting import fitted
from workbook.author.packs.pack import Pack, problem_pack, read_pack, write_pack
from workbook.author.packs.removing import take_out
from workbook.author.packs.renumber import renumbered
from workbook.content import catalog, layout
from workbook.content.catalog import Catalog
from workbook.errors import UsageError
from workbook.files import archive

STEM = "p09_mean"
SETTINGS, SOLUTION, GRADER = f"exercises/{STEM}.toml", f"solutions/{STEM}.py", f"graders/test_{STEM}.py"


def make_workbook(root: Path) -> Catalog:
    """A workbook with problem 7 and problem 9, which builds on it."""
    root.mkdir()
    (root / "pyproject.toml").write_text('[tool.workbook]\ntitle = "Made for tests"\n', encoding="utf-8")
    for number, slug in ((7, "total"), (9, "mean")):
        new_problem(catalog.load(root, may_be_empty=True), number, slug)
    edit(root / SETTINGS, "prerequisites = []", "prerequisites = [7]")
    return catalog.load(root)


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture
def made(tmp_path: Path) -> Catalog:
    return make_workbook(tmp_path / "made")


@pytest.fixture
def pack(made: Catalog, tmp_path: Path) -> Path:
    """Problem 9 as a folder."""
    write_pack(problem_pack(made, made.problem(9)), tmp_path / "pack")
    return tmp_path / "pack"


def as_zip(folder: Path, path: Path, prefix: str = "") -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files(folder).items():
            made.writestr(prefix + name, content)
    return path


# --- reading --------------------------------------------------------------------------------------------------------


def test_a_pack_is_what_the_problem_is_made_of(made, pack):
    (made.root / "tests/corpus" / STEM / "right").mkdir(parents=True)
    (made.root / "tests/corpus" / STEM / "right" / "one.py").write_text("'''one'''\n", encoding="utf-8")
    (made.root / "graders/support").mkdir()
    (made.root / "graders/support" / f"{STEM}.py").write_text("HELP = 1\n", encoding="utf-8")
    found = problem_pack(made, made.problem(9))
    sources = [name for name in layout.sources(STEM) if "mutants" not in name]
    assert set(found.files) == {*sources, f"tests/corpus/{STEM}/right/one.py"}
    assert found.prerequisites == {7: "total"}
    for out in (pack.parent / "again", pack.parent / "again.zip"):
        write_pack(found, out)
        assert read_pack(out) == found


def test_a_zip_has_the_same_bytes_each_time(made, tmp_path):
    for name in ("one.zip", "two.zip"):
        write_pack(problem_pack(made, made.problem(9)), tmp_path / name)
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()


def test_a_git_checkout_and_a_download_of_it(pack, tmp_path):
    plain = read_pack(pack)
    for name in (".git/HEAD", ".git/objects/ab/cd", "README.md", "LICENSE", "docs/notes.md", ".github/ci.yml",
                 f"exercises/{STEM}.py", f"solutions/__pycache__/{STEM}.cpython-311.pyc"):  # fmt: skip
        (pack / name).parent.mkdir(parents=True, exist_ok=True)
        (pack / name).write_text("not read\n", encoding="utf-8")
    assert read_pack(pack) == plain
    assert read_pack(as_zip(pack, tmp_path / "pack.zip", "mean-main/")) == plain


def remove(name: str) -> Callable[[Path], None]:
    return lambda pack: (pack / name).unlink()


def put(name: str, content: bytes = b"x = 1\n") -> Callable[[Path], None]:
    def act(pack: Path) -> None:
        (pack / name).parent.mkdir(parents=True, exist_ok=True)
        (pack / name).write_bytes(content)

    return act


@pytest.mark.parametrize(
    ("change", "says"),
    [
        *((remove(name), "is missing") for name in layout.needed(STEM)[1:]),
        (remove(SETTINGS), "it is no pack"),
        (put("exercises/p10_other.toml"), "it holds several problems (exercises/p09_mean.toml, exercises/p10_other.toml)"),
        (put("graders/test_p10_other.py"), "graders/test_p10_other.py is of another problem than p09_mean"),
        (put("tests/corpus/p10_other/right/a.py"), "is of another problem than p09_mean"),
        (put("graders/conftest.py"), "graders/conftest.py belongs to no problem"),
        (put("solutions/deep/er.py"), "solutions/deep/er.py belongs to no problem"),
        (put(SETTINGS, b"title = "), "exercises/p09_mean.toml is not valid TOML"),
        (put(SETTINGS, b"title = '\xff'"), "exercises/p09_mean.toml is not valid TOML"),
        (put("pack.toml", b"[prerequisites]\nx = 'y'\n"), "pack.toml cannot be understood"),
        (put("a:b"), "leads out of it or cannot be written everywhere"),
        (lambda pack: (pack / "README").symlink_to("/etc/passwd"), "README is a link"),
        (lambda pack: (pack / "more").symlink_to("/etc"), "more is a link"),
        (lambda pack: os.mkfifo(pack / "pipe"), "pipe is no ordinary file"),
    ],
)  # fmt: skip
def test_a_folder_that_is_no_pack(pack, change, says):
    change(pack)
    with pytest.raises(UsageError) as caught:
        read_pack(pack)
    assert says in str(caught.value)
    assert str(caught.value).startswith(str(pack))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["../outside.py", "/etc/outside.py", "solutions/../../outside.py", "..\\outside.py",
                                  "C:/outside.py", "a//b.py", "./a.py", "line\nbreak.py"])  # fmt: skip
def test_a_zip_whose_names_lead_out(pack, tmp_path, name):
    path = as_zip(pack, tmp_path / "pack.zip")
    with zipfile.ZipFile(path, "a") as made:
        made.writestr(name, "x")
    with pytest.raises(UsageError, match=r"leads out of it or cannot be written everywhere: nothing was changed\.$"):
        read_pack(path)


def test_a_zip_with_a_link(pack, tmp_path):
    path = as_zip(pack, tmp_path / "pack.zip")
    link = zipfile.ZipInfo("README.md")
    link.create_system = 3
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(path, "a") as made:
        made.writestr(link, "/etc/passwd")
    with pytest.raises(UsageError, match=r"README\.md is a link"):
        read_pack(path)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_zip_with_a_name_twice(pack, tmp_path):
    path = as_zip(pack, tmp_path / "pack.zip")
    with zipfile.ZipFile(path, "a") as made:
        made.writestr(SOLUTION, "x = 1\n")
    with pytest.raises(UsageError, match="is in it twice"):
        read_pack(path)


def test_a_zip_bomb_and_its_like(pack, tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MOST_BYTES", 2**20)
    put(SOLUTION, b"#" * 2**21)(pack)
    for path in (pack, as_zip(pack, tmp_path / "pack.zip")):
        with pytest.raises(UsageError, match="it holds more than 1 MB or 10000 files"):
            read_pack(path)
    assert (tmp_path / "pack.zip").stat().st_size < 2**20
    put(SOLUTION)(pack)
    monkeypatch.setattr(archive, "MOST_FILES", 20)
    for number in range(30):
        put(f"docs/{number}.md")(pack)
    for path in (pack, as_zip(pack, tmp_path / "pack.zip")):
        with pytest.raises(UsageError, match="20 files"):
            read_pack(path)


def test_a_zip_that_is_damaged(pack, tmp_path):
    path = as_zip(pack, tmp_path / "pack.zip")
    content = path.read_bytes()
    at = content.index(SOLUTION.encode()) + len(SOLUTION) + 50
    path.write_bytes(content[:at] + bytes(byte ^ 255 for byte in content[at : at + 40]) + content[at + 40 :])
    with pytest.raises(UsageError, match=rf"{SOLUTION} cannot be read"):
        read_pack(path)
    for wrong in (content[:-30], b"", b"text"):
        path.write_bytes(wrong)
        with pytest.raises(UsageError, match="neither a folder nor a zip"):
            read_pack(path)


# --- another number -------------------------------------------------------------------------------------------------


def test_a_number_is_changed_where_it_is_the_problems():
    text = (
        "Problem 9: mean. Fill in, then run:  workbook grade 9\n"
        "See problem 7, problems 7 and 9, problem 70 and p09_mean; make grade N=9.\n"
        "%%solve 9\nlesson = Lesson(9)\nworkbook hint 9\n"
        "hint 9, mark.hint(9), 9 steps, the workbook has 9 checks, range(9), problem_9\n"
    )
    pack = Pack(STEM, {SETTINGS: b"prerequisites = [7, 8]  # why\n", SOLUTION: text.encode()}, {7: "total", 8: "x"})
    found = renumbered(pack, {9: 12, 7: 9, 8: None})
    assert found.stem == "p12_mean"
    assert found.prerequisites == {9: "total"}
    assert found.files["exercises/p12_mean.toml"] == b"prerequisites = [9]  # why\n"
    assert found.files["solutions/p12_mean.py"].decode() == (
        "Problem 12: mean. Fill in, then run:  workbook grade 12\n"
        "See problem 9, problems 9 and 12, problem 70 and p12_mean; make grade N=12.\n"
        "%%solve 12\nlesson = Lesson(12)\nworkbook hint 12\n"
        "hint 9, mark.hint(9), 9 steps, the workbook has 9 checks, range(9), problem_9\n"
    )


def test_files_built_for_the_old_number_stay_behind():
    recorded = f"notebooks/recorded/{STEM}.safetensors"
    pack = Pack(STEM, {SETTINGS: b"title = 'x'\n", recorded: b"\xff"})
    assert recorded in renumbered(pack, {9: 9, 7: 8}).files
    assert set(renumbered(pack, {9: 12}).files) == {"exercises/p12_mean.toml"}


def other_workbook(tmp_path: Path, *problems: tuple[int, str]) -> Catalog:
    root = tmp_path / "other"
    root.mkdir()
    (root / "pyproject.toml").write_text('[tool.workbook]\ntitle = "Other"\n', encoding="utf-8")
    for number, slug in problems:
        new_problem(catalog.load(root, may_be_empty=True), number, slug)
    return catalog.load(root, may_be_empty=True)


def prerequisites(pack: Pack) -> str:
    (line,) = re.findall(r"^prerequisites = (.*)$", pack.files[pack.settings].decode(), re.MULTILINE)
    return str(line)


def test_prerequisites_are_found_by_name(pack, tmp_path):
    other = other_workbook(tmp_path, (7, "norm"), (30, "total"))
    assert prerequisites(fitted(other, read_pack(pack), None, {})) == "[30]"
    assert prerequisites(fitted(other, read_pack(pack), 8, {7: 7})) == "[7]"
    assert prerequisites(fitted(other, read_pack(pack), 8, {7: None})) == "[]"


def test_prerequisites_that_are_not_there(pack, tmp_path):
    other = other_workbook(tmp_path, (7, "norm"))
    with pytest.raises(UsageError, match=r"builds on problem 7 \(total\), which is not in this workbook"):
        fitted(other, read_pack(pack), None, {})
    with pytest.raises(UsageError, match="does not build on problem 5"):
        fitted(other, read_pack(pack), None, {5: 7})
    (pack / "pack.toml").unlink()  # without names, numbers are taken as they are
    assert prerequisites(fitted(other, read_pack(pack), None, {})) == "[7]"
    edit(pack / SETTINGS, "[7]", "[8]")
    with pytest.raises(UsageError, match="builds on problem 8, which is not in this workbook"):
        fitted(other, read_pack(pack), None, {})


# --- adding ---------------------------------------------------------------------------------------------------------


def unchanged(root: Path, *arguments: str | Path, code: int) -> str:
    before = files(root)
    done = workbook(*arguments, cwd=root, code=code)
    assert files(root) == before
    return done.out if code == 1 else done.err


def test_nothing_is_overwritten(made, pack):
    line = unchanged(made.root, "add", pack, code=2)
    assert line == "Problem 9 is there already (p09_mean): give the new one another number with --as N.\n"
    assert "use 1 to 99" in unchanged(made.root, "add", pack, "--as", "0", code=2)
    (made.root / "graders" / "test_p12_mean.py").write_text("mine = 1\n", encoding="utf-8")
    assert "graders/test_p12_mean.py is there already" in unchanged(made.root, "add", pack, "--as", "12", code=2)
    assert "write OLD=NEW" in unchanged(made.root, "add", pack, "--as", "13", "--prerequisite", "seven", code=2)
    (made.root / "exercises" / "p14_draft.toml").write_text("title =", encoding="utf-8")
    assert "Problem 14 is there already (p14_draft)" in unchanged(made.root, "add", pack, "--as", "14", code=2)


def test_a_pack_with_faults_is_refused_in_one_line(made, pack):
    edit(pack / SETTINGS, 'library = "torch"', 'library = "jax"')
    line = unchanged(made.root, "add", pack, "--as", "12", code=2)
    assert line == "exercises/p12_mean.toml: 'library' must be 'torch' or 'numpy'. Nothing was changed.\n"
    (pack / GRADER).unlink()
    assert unchanged(made.root, "add", pack, "--as", "12", code=2).count("\n") == 1


def test_a_pack_that_is_not_sound_changes_nothing(made, pack):
    edit(pack / f"solutions/pitfalls/{STEM}.py", "return x.flip(1).cumsum(dim=1).flip(1)", "return x.cumsum(dim=1)")
    shown = unchanged(made.root, "add", pack, "--as", "12", code=1)
    assert "broken  each pitfall fails and is named\n" in shown
    assert "ok      every check finds the stub not started" in shown
    assert "p12_mean.py: backwards is passed: add the check that it fails." in shown
    assert shown.endswith("1 rule broken: nothing was put in.\n")


def test_a_workbook_may_begin_empty(made, pack, tmp_path):
    other = other_workbook(tmp_path)
    done = workbook("add", pack, "--prerequisite", "7=none", cwd=other.root, code=0)
    assert "Problem 9 · Running total is in. Its stub is exercises/p09_mean.py." in done.out
    assert "Problem 9 · Running total: not started" in workbook("grade", cwd=other.root, code=1).out
    workbook("remove", "9", cwd=other.root, code=0)
    assert "No problem found" in workbook(cwd=other.root, code=3).err


def killed_anywhere(root: Path, lay_out: Callable[[], Callable[[], object]]) -> list[dict[str, bytes]]:
    """What is left after a kill at each operation and a recovery, packs and backups aside."""
    found, number, killed = [], 0, True
    while killed:
        act = lay_out()
        killed = stopped_at(number := number + 1, root, act, None)
        transaction.recover(root)
        left = {name: content for name, content in files(root).items() if not name.startswith((".workbook/", "packs/"))}
        assert not (root / transaction.FOLDER).exists()
        found.append(left)
    return found


def test_killed_while_adding(made, pack, tmp_path):
    fresh = shutil.copytree(made.root, tmp_path / "fresh")
    found = fitted(made, read_pack(pack), 12, {})
    (tmp_path / "tried").mkdir()
    _, tried, faults = tried_in(made, found, tmp_path / "tried")
    assert faults == []

    def lay_out() -> Callable[[], object]:
        shutil.rmtree(made.root)
        shutil.copytree(fresh, made.root)
        return lambda: put_in(made, found, tried)

    before = files(fresh)
    after = {
        **before,
        **found.files,
        **{
            name: (tried.root / name).read_bytes()
            for name in (*layout.built("p12_mean"), *layout.sources("p12_mean"))
            if (tried.root / name).is_file()
        },
    }
    states = killed_anywhere(made.root, lay_out)
    assert all(state in (before, after) for state in states)
    assert states[0] == before
    assert states[-1] == after
    assert catalog.load(made.root).problem(12).slug == "mean"


# --- removing -------------------------------------------------------------------------------------------------------


def progress_of(root: Path, *numbers: int) -> None:
    entry = {"verdict": "passed", "score": 5, "max_score": 5, "sha256": "", "graded": "", "hints": 1}
    (root / ".workbook").mkdir(exist_ok=True)
    data = {"version": 1, "problems": {str(number): entry for number in numbers}}
    (root / ".workbook" / "progress.json").write_text(json.dumps(data), encoding="utf-8")


def test_what_a_learner_did_is_kept(made):
    progress_of(made.root, 7, 9)
    (made.root / "exercises" / f"{STEM}.py").write_text("# mine\n", encoding="utf-8")
    done = workbook("remove", "9", "--out", "mean.zip", cwd=made.root, code=0)
    assert "Problem 9 · Running total is taken out. Its pack is mean.zip." in done.out
    assert done.out.count("Kept a learner's work as .workbook/backups/") == 2
    assert not [name for name in files(made.root) if STEM in name and not name.startswith(".workbook/")]
    kept = [path.read_text(encoding="utf-8") for path in (made.root / ".workbook" / "backups").iterdir()]
    assert "# mine\n" in kept
    assert any('"9"' in text for text in kept)
    left = json.loads((made.root / ".workbook" / "progress.json").read_text(encoding="utf-8"))
    assert set(left["problems"]) == {"7"}


def test_prerequisites_of_others_hold_a_problem(made, pack):
    line = unchanged(made.root, "remove", "7", code=2)
    assert line.startswith("Problem 7 is a prerequisite of problem 9: remove those first, or use --force")
    done = workbook("remove", "7", "--force", cwd=made.root, code=0)
    assert "Problem 9 does not have it as a prerequisite any more." in done.out
    assert catalog.load(made.root).problem(9).prerequisites == ()


def test_a_pack_overwrites_nothing(made):
    (made.root / "mean").mkdir()
    (made.root / "mean" / "notes").write_text("mine\n", encoding="utf-8")
    assert "it is no pack" in unchanged(made.root, "remove", "9", "--out", "mean", code=2)
    (made.root / "mean.zip").write_text("mine\n", encoding="utf-8")
    assert "neither a folder nor a zip" in unchanged(made.root, "remove", "9", "--out", "mean.zip", code=2)
    write_pack(problem_pack(made, made.problem(7)), made.root / "other")
    assert "is another pack: move it away" in unchanged(made.root, "remove", "9", "--out", "other", code=2)
    assert "Not a directory" in unchanged(made.root, "remove", "9", "--out", "mean.zip/pack", code=2)


def test_a_problem_without_all_its_files_stays(made):
    (made.root / GRADER).unlink()
    assert f"{GRADER} is missing" in unchanged(made.root, "remove", "9", code=3)


def test_killed_while_removing(made, tmp_path):
    (made.root / "exercises" / f"{STEM}.py").write_text("# mine\n", encoding="utf-8")
    progress_of(made.root, 9)
    fresh = shutil.copytree(made.root, tmp_path / "fresh")
    out = made.root / "packs" / STEM
    wanted = problem_pack(made, made.problem(9))

    def lay_out() -> Callable[[], object]:
        shutil.rmtree(made.root)
        shutil.copytree(fresh, made.root)
        return lambda: take_out(made, made.problem(9), out, force=False)

    before = {name: content for name, content in files(fresh).items() if not name.startswith(".workbook/")}
    after = {name: content for name, content in before.items() if STEM not in name and STEM[4:] not in name}
    states = killed_anywhere(made.root, lay_out)
    assert all(state in (before, after) for state in states)
    assert states[0] == before
    assert states[-1] == after
    assert read_pack(out) == wanted


def test_killed_between_pack_and_removal_it_goes_on(made):
    """The pack is there already, and is the same: the same command ends what was begun."""
    write_pack(problem_pack(made, made.problem(9)), made.root / "packs" / STEM)
    workbook("remove", "9", cwd=made.root, code=0)
    assert [problem.number for problem in catalog.load(made.root).problems] == [7]
