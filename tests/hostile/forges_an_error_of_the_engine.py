"""Sends errors of kinds and with places that the grader does not know.

Expect: crash
"""

import os

from workbook.wire import channel


def sequential_scan(a, b, h0=None):
    frame = {"file": "\x1b[2J", "line": 1 << 4000, "function": "\u202e", "text": "\x00" * 1000}
    for number in range(200):
        error = {"kind": "ungraded", "type": "EngineFault", "message": "\x1b[31m" * 1000, "frames": [frame] * 100}
        os.write(200, channel.frame({"ok": False, "id": number, "error": error}))
