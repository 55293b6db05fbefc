"""Sends replies of its own making on the line to the grader.

Expect: crash error
"""

import os

import torch

from workbook.wire import channel


def sequential_scan(a, b, h0=None):
    for number in range(200):
        reply = {
            "ok": True,
            "id": number,
            "value": torch.zeros_like(a),
            "changed": [],
            "verdict": "passed",
            "points": 20,
        }
        os.write(200, channel.frame(reply))
    return torch.zeros_like(a)
