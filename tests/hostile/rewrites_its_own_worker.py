"""Changes the loop that serves the grader: every answer is said to be ok, and nothing changed.

Expect: failed error
"""

import sys

import torch

frame = sys._getframe()
while frame is not None:
    operations = frame.f_locals.get("operations")
    if operations is not None:
        type(operations).carry_out = lambda self, request: {"value": True, "gradients": [], "changed": [], "ok": True}
    frame = frame.f_back


def sequential_scan(a, b, h0=None):
    return torch.zeros_like(a)
