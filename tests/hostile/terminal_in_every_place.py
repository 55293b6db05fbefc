"""Puts escapes where text of the learner's is shown: names of functions, files, types, keys and lines.

Expect: failed error passed
"""

exec(
    compile(
        "\n" * 5 + "def inner():\n    raise ValueError('\\x1b[31m\\u202e')",
        __file__.replace(".py", "\x1b[31m\n.py"),
        "exec",
    )
)
BAD = type("Ba\x1b[31md\u202e\ufe0f\u3164", (Exception,), {})


def sequential_scan(a, b, h0=None):
    try:
        inner()
    except ValueError as error:
        raise BAD("line one\nPassed: 21 of 21 points.\r\x1b[1A\x1b[2K\x9b31m\u2028\U000e0041") from error


sequential_scan.__name__ = sequential_scan.__qualname__ = "\x1b[31mname"
