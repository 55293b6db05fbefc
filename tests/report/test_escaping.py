"""A learner's text reaches terminal, JSON and JUnit escaped, wherever in a submission it stands."""

from __future__ import annotations

import io
import json
import unicodedata
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser

import pytest
from helpers.workbooks import PROBLEMS, workbook
from rich.console import Console

from workbook.grading.grading import Grading, Task
from workbook.grading.session import grade
from workbook.report.html import render_html, sentence
from workbook.report.json import as_json
from workbook.report.terminal import render
from workbook.results import ProblemResult, Report
from workbook.text import clean

SCAN = PROBLEMS[0]
# A line of source that names each kind of text that could do harm, as a literal.
NASTY = {
    "controls": "".join(map(chr, [*range(1, 9), 11, 12, *range(14, 32), 127, *range(128, 160)])),
    "ansi": "\x1b[2J\x1b[H\x1b[31mPASSED\x1b[0m\x1b]0;title\x07\x1b]8;;http://example.com\x07link\x1b]8;;\x07\x9b31m",
    "carriage return": "wrong\rPASSED",
    "backspace": "wrong\b\b\b\b\bPASSED",
    "bidi": "\u202epassed\u202c \u2066x\u2069 \u200f\u061c",
    "invisible": "a\u200bb\u2060c\ufeffd\u3164e\U000e0041f",
    "lone surrogates": "a\ud800b\udfffc",
    "null": "a\x00b",
    "not characters": "\ufffe\uffff\U0010ffff\ue000",
    "markup": "[bold red]PASSED[/] <b>&amp;</b> ]]> <script>alert(1)</script>",
    "line separators": "a\u2028b\u2029c\x85d",
}
# Where a submission can put it: NAME is the text as the name of something may be, without nulls and surrogates.
PLACES = {
    "exception": "def sequential_scan(a, b, h0=None):\n    raise ValueError(TEXT)\n",
    "exception at import": "raise RuntimeError(TEXT)\n",
    "exit": "import sys\n\ndef sequential_scan(a, b, h0=None):\n    sys.exit(TEXT)\n",
    "name of an exception": "def sequential_scan(a, b, h0=None):\n    raise type(NAME, (Exception,), {})\n",
    "module of an exception": (
        "def sequential_scan(a, b, h0=None):\n    raise type('E', (Exception,), {'__module__': TEXT})\n"
    ),
    "note": (
        "def sequential_scan(a, b, h0=None):\n    error = ValueError('x')\n    error.add_note(TEXT)\n    raise error\n"
    ),
    "name of a type": ("def sequential_scan(a, b, h0=None):\n    return type(NAME, (), {})()\n"),
    "value": "def sequential_scan(a, b, h0=None):\n    return TEXT\n",
    "key": "def sequential_scan(a, b, h0=None):\n    return {TEXT: 1}\n",
    "print": "def sequential_scan(a, b, h0=None):\n    print(TEXT)\n",
    "standard error": "import sys\n\ndef sequential_scan(a, b, h0=None):\n    sys.stderr.write(TEXT)\n",
    "raw bytes": (
        "import os\n\ndef sequential_scan(a, b, h0=None):\n    os.write(1, TEXT.encode('utf-8', 'surrogatepass'))\n"
    ),
    "docstring and parameters": (
        "import inspect\n\nclass Odd:\n    def __repr__(self):\n        return TEXT\n\n"
        "def sequential_scan(a=Odd()):\n    pass\n\nsequential_scan.__doc__ = TEXT\n"
    ),
    "function's name": (
        "def f(a, b, h0=None):\n    raise ValueError\n\n"
        "sequential_scan = type(f)(f.__code__.replace(co_name=NAME), globals())\n"
    ),
}
ALL = NASTY["bidi"] + "".join(NASTY.values())
SHOWN_NOWHERE = ("value", "key")  # of these only the type is told


def source_of(place: str, repeated: int = 1) -> str:
    head = f"TEXT = {ALL!a} * {repeated}\nNAME = TEXT.replace(chr(0), '').encode('utf-8', 'replace').decode()\n\n"
    return head + PLACES[place]


def visible(text: str, allowed: str = "\n\t") -> bool:
    """Whether every character is one that a terminal shows as itself."""
    return all(
        character in allowed or character.isprintable() or unicodedata.category(character) == "Zs" for character in text
    ) and not any(mark in text for mark in ("\u3164", "\u200b", "\u202e"))


def terminal(result: ProblemResult) -> str:
    """What a terminal that understands everything would be sent, less the colours that are ours."""
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=False, width=100, markup=False, emoji=False, highlight=False)
    for line in render(Report("workbook", (), (result,))):
        console.print(line)
    return stream.getvalue()


class Read(HTMLParser):
    """What a browser finds in a piece of HTML: its tags, and the text between them."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.texts: list[str] = []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)

    def handle_data(self, data):
        self.texts.append(data)

    def unknown_decl(self, data):
        raise AssertionError(data)

    handle_comment = handle_decl = handle_pi = unknown_decl


def assert_html_escaped(source: str) -> str:
    """The text of a piece of HTML in which nothing but our own tags is to be found."""
    found = Read(source)
    assert found.tags <= {"div", "span", "strong", "code", "pre"}
    assert found.attributes <= {"class", "style"}
    text = "".join(found.texts)
    assert visible(text), ascii(text)
    assert visible(source)
    return text


def strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for item in (*value.keys(), *value.values()) for text in strings(item)]
    return [text for item in value for text in strings(item)] if isinstance(value, list) else []


def assert_escaped(result: ProblemResult) -> None:
    assert visible(terminal(result))
    text = assert_html_escaped(render_html(Report("workbook", (), (result,))))
    for check in result.checks:
        first = check.message.partition("\n")[0]
        assert first in text or check.message not in terminal(result)
    data = as_json(Report("workbook", (), (result,)))
    assert data.isascii()
    for text in strings(json.loads(data)):
        assert visible(text), ascii(text)


@pytest.mark.parametrize("place", PLACES)
def test_text_is_escaped_wherever_it_stands(place, engine, tmp_path):
    path = tmp_path / f"{SCAN.stem}.py"
    path.write_text(source_of(place), encoding="utf-8")
    report = grade(Grading(engine, [Task.at(SCAN, path)]), junit=tmp_path / "report.xml")
    result = report.problems[0]
    assert result.verdict == "failed"
    assert_escaped(result)
    shown = as_json(report)
    if place not in SHOWN_NOWHERE:  # escaped and not left out
        assert "202e" in shown, result.checks[0].message
    tree = ElementTree.parse(tmp_path / "report.xml")
    for element in tree.iter():
        for text in (element.text or "", element.tail or "", *element.attrib.values()):
            assert visible(text), ascii(text)


@pytest.mark.parametrize("kind", NASTY)
def test_each_kind_of_text_alone(kind, grade_source):
    text = ascii(NASTY[kind])
    result = grade_source(1, f"def sequential_scan(a, b, h0=None):\n    print({text})\n    raise ValueError({text})\n")
    assert {check.verdict for check in result.checks} == {"error"}
    assert_escaped(result)
    assert "ValueError: " in result.checks[0].message
    assert result.checks[0].output.strip()


@pytest.mark.parametrize("kind", NASTY)
def test_a_sentence_in_a_notebook(kind):
    assert assert_html_escaped(sentence(NASTY[kind])) == clean(NASTY[kind])


def test_a_report_in_html_has_the_words_of_the_terminal(grade_source):
    wrong = "import torch\n\ndef sequential_scan(a, b, h0=None):\n    print('<hello>')\n    return a * b\n"
    result = grade_source(1, wrong)
    shown = "".join(assert_html_escaped(render_html(Report("workbook", (), (result,)), hint="workbook hint")).split())
    for line in terminal(result).splitlines():
        assert "".join(line.split()) in shown


def test_the_source_itself_is_quoted_escaped(grade_source):
    line = "    raise ValueError('x') # \u202e\x1b[31m\u200b passed\n"
    result = grade_source(1, f"def sequential_scan(a, b, h0=None):\n{line}")
    assert "\\u202e" in result.checks[0].message
    assert_escaped(result)
    result = grade_source(1, "def sequential_scan(a, b, h0=None):\n    return '\u202e' \x1b[31m\n")
    assert_escaped(result)


@pytest.mark.parametrize("place", ["exception", "print", "value", "note", "exit"])
def test_ten_megabytes_of_it(place, grade_source):
    result = grade_source(1, source_of(place, 10_000_000 // len(ALL)))
    assert result.verdict == "failed"
    assert_escaped(result)
    for check in result.checks:
        assert len(check.message) < 300_000
        assert len(check.output) < 100_000


def test_a_worker_that_makes_up_its_errors_cannot_get_round_it(grade_source):
    source = (
        "import gc\nfrom workbook.wire import channel\nimport os, sys\n\n"
        f"NASTY = {ALL!a}\n\n"
        "def sequential_scan(a, b, h0=None):\n"
        "    frame = sys._getframe()\n"
        "    while 'request' not in frame.f_locals or 'id' not in frame.f_locals['request']:\n        frame = frame.f_back\n"
        "    line = {'file': NASTY, 'line': 1, 'function': NASTY, 'text': NASTY}\n"
        "    error = {'kind': 'exception', 'type': NASTY, 'message': NASTY, 'frames': [line] * 5000}\n"
        "    reply = {'ok': False, 'id': frame.f_locals['request']['id'], 'error': error}\n"
        "    os.write(200, channel.frame(reply)[:4])\n"
        "    body = channel.frame(reply)[4:]\n"
        "    while body:\n        body = body[os.write(200, body):]\n"
    )
    source = source.replace("ud800", "u2028").replace("udfff", "u2028")  # surrogates cannot travel
    result = grade_source(1, source)
    assert_escaped(result)
    assert "raised an exception" in result.checks[0].message
    assert all(len(check.message) < 300_000 for check in result.checks)


def test_the_command_prints_it_escaped(copy):
    path = copy / "exercises" / f"{SCAN.stem}.py"
    path.write_text(source_of("exception") + f"\nprint({ALL!a})\n", encoding="utf-8")
    shown = workbook("grade", "1", cwd=copy, code=1)
    assert visible(shown.out)
    assert visible(shown.err)
    data = workbook("grade", "1", "--json", cwd=copy, code=1)
    assert json.loads(data.out)["problems"][0]["verdict"] == "failed"
    assert data.out.isascii()
