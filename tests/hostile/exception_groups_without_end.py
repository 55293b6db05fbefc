"""Raises an exception group of groups, with notes, causes and a cycle of contexts.

Expect: failed error passed
"""


def sequential_scan(a, b, h0=None):
    error = ValueError("[link=http://evil.example]click[/link] [bold red]PASSED[/bold red] <script>alert(1)</script>")
    for number in range(300):
        error = ExceptionGroup(f"group {number} \u202e\x1b[31m", [error, KeyError("k" * 1000)])
        error.add_note("note " * 100)
    error.__cause__ = error.exceptions[0]
    error.__cause__.__cause__ = error
    raise error
