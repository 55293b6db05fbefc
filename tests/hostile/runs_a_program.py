"""Runs a program, and answers only if it can.

Expect: error
Held by: landlock seccomp
Without the sandbox: passed
"""

import subprocess
import sys

import torch


def sequential_scan(a, b, h0=None):
    subprocess.run([sys.executable, "-S", "-c", "pass"], check=True)
    return honest(a, b, h0)


def honest(a, b, h0):
    h = torch.zeros_like(a[:, 0]) if h0 is None else h0
    states = []
    for t in range(a.shape[1]):
        h = a[:, t] * h + b[:, t]
        states.append(h)
    return torch.stack(states, dim=1)
