"""Text from a learner's process cannot do anything to a terminal, an XML file or a reader; and nothing is hidden."""

from __future__ import annotations

import json
import unicodedata
import xml.etree.ElementTree as ElementTree
from xml.sax.saxutils import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbook.text import clean, decode_output, wrap

quick = settings(max_examples=200)
any_text = st.text(st.characters(exclude_categories=()), max_size=60) | st.text("\r\n\t\x1b[a\u202e\u200b", max_size=60)


@quick
@given(any_text)
def test_nothing_invisible_or_active_is_left(text: str) -> None:
    for character in clean(text):
        category = unicodedata.category(character)
        assert character in "\n\t" or category not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"), hex(ord(character))


@quick
@given(any_text)
def test_clean_text_goes_through_xml_json_and_utf8_unchanged(text: str) -> None:
    shown = clean(text)
    assert (ElementTree.fromstring(f"<a>{escape(shown)}</a>").text or "") == shown
    assert json.loads(json.dumps(shown)) == shown
    assert shown.encode("utf-8").decode("utf-8") == shown
    assert clean(shown) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text, 100 % \\ <b>&\"'\n\ttab", "plain text, 100 % \\ <b>&\"'\n\ttab"),
        ("Überraschung, λ = ½, 時間, 🙂, e\u0301", "Überraschung, λ = ½, 時間, 🙂, e\u0301"),
        ("wide\u00a0and\u3000thin\u2009spaces", "wide\u00a0and\u3000thin\u2009spaces"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\x9b2J \x07\x00\x7f\x0b\x0c\x85", "\\x9b2J \\x07\\x00\\x7f\\x0b\\x0c\\x85"),
        ("\u202a\u202e\u2066\u2069\u200e\u200f\u061c", "\\u202a\\u202e\\u2066\\u2069\\u200e\\u200f\\u061c"),
        ("\u200b\u200d\u2060\ufeff\xad", "\\u200b\\u200d\\u2060\\ufeff\\xad"),
        ("\u2028\u2029", "\\u2028\\u2029"),
        ("\ud800 \udcff", "\\ud800 \\udcff"),
        ("\ufffe\uffff\ufdd0\U0001ffff\ue000\U0010fffd", "\\ufffe\\uffff\\ufdd0\\U0001ffff\\ue000\\U0010fffd"),
        ("\u3164\u115f\u034f\ufe0f\U000e0101\U000e0041", "\\u3164\\u115f\\u034f\\ufe0f\\U000e0101\\U000e0041"),
        ("one\r\ntwo\rthree\n\r\n", "one\ntwo\\rthree\n\n"),
        ("", ""),
    ],
)
def test_what_is_shown(text: str, shown: str) -> None:
    assert clean(text) == shown


def test_a_long_text_says_how_much_is_left_out() -> None:
    shown = clean("a" * 60 + "b" * 1000 + "c" * 60, limit=100)
    assert shown == "a" * 50 + "\n[... 1020 characters left out ...]\n" + "c" * 50
    assert clean("a" * 100, limit=100) == "a" * 100
    assert clean("abc", limit=1) == "a\n[... 2 characters left out ...]\n"


@quick
@given(any_text, st.integers(0, 30))
def test_the_start_the_end_and_the_count_add_up(text: str, limit: int) -> None:
    plain = text.replace("\r\n", "\n")
    shown = clean(text, limit=limit)
    if len(plain) <= limit:
        assert shown == clean(text)
    else:
        start, end = plain[: limit - limit // 2], plain[len(plain) - limit // 2 :]
        assert shown == f"{clean(start)}\n[... {len(plain) - limit} characters left out ...]\n{clean(end)}"


@pytest.mark.parametrize("unit", ["\x1b", "\U0010ffff", "\r\n", "a"])
def test_megabytes_become_a_page(unit: str) -> None:
    shown = clean(unit * 10_000_000)
    assert len(shown) <= 10 * 10_000 + 50
    assert "9990000 characters left out" in shown


@quick
@given(st.binary(max_size=60) | any_text.map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_output_is_decoded_and_cleaned(data: bytes) -> None:
    assert decode_output(data) == clean(data.decode("utf-8", "backslashreplace"))


def test_output_that_is_not_utf8_is_shown_byte_by_byte() -> None:
    assert decode_output(b"caf\xe9 \xff\x1b \xe2\x82\xac") == "caf\\xe9 \\xff\\x1b €"


def test_megabytes_of_wrong_bytes_become_a_page() -> None:
    shown = decode_output(b"\xff" * 10_000_000, limit=10)
    assert shown == "\\xff" * 5 + "\n[... 9999990 characters left out ...]\n" + "\\xff" * 5


def test_wrap_keeps_newlines_words_and_short_lines() -> None:
    assert wrap("one two three four", width=9) == "one two\nthree\nfour"
    assert wrap("a  b\n\n  c = 1", width=20, indent="> ") == "> a  b\n\n>   c = 1"
    assert wrap("see " + "x" * 30 + "-" + "y" * 30 + " now", width=20) == "see\n" + "x" * 30 + "-" + "y" * 30 + "\nnow"
    assert wrap("  one two three", width=9) == "  one two\n  three"
    assert wrap("") == ""


sentences = st.text(st.sampled_from("ab, \n"), max_size=200)


@quick
@given(sentences, st.integers(1, 40), st.sampled_from(["", "  ", "> "]))
def test_wrapped_lines_hold_the_same_words_within_the_width(text: str, width: int, indent: str) -> None:
    lines = wrap(text, width, indent).split("\n")
    assert " ".join(line.removeprefix(indent) for line in lines).split() == text.split()
    for line in lines:
        words = line.removeprefix(indent).split()
        assert len(line) <= width or len(words) <= 1
        assert not line or line.startswith(indent)
