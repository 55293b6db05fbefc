"""Looks for a secret of the grader in its environment, and answers only if it is there.

Expect: error
"""

import os

import torch


def sequential_scan(a, b, h0=None):
    assert "WORKBOOK_TEST_SECRET" in os.environ, sorted(os.environ)
    return honest(a, b, h0)


def honest(a, b, h0):
    h = torch.zeros_like(a[:, 0]) if h0 is None else h0
    states = []
    for t in range(a.shape[1]):
        h = a[:, t] * h + b[:, t]
        states.append(h)
    return torch.stack(states, dim=1)
