"""Patches the grader's own modules, as far as this process has them.

Expect: failed passed
"""

import sys

import torch


def yes(*arguments, **keywords):
    return None


for name in ("workbook.compare.divergence", "workbook.plugin", "workbook.grading.session", "workbook.checks.agree"):
    try:
        __import__(name)
    except Exception:
        continue
    for key, value in list(vars(sys.modules[name]).items()):
        if callable(value) and not key.startswith("__"):
            setattr(sys.modules[name], key, yes)


def sequential_scan(a, b, h0=None):
    return torch.zeros_like(a)
