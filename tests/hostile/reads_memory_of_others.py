"""Opens the memory of the processes it can see, and answers only if it can.

Expect: error
Held by: landlock namespaces
Without the sandbox: passed
"""

import os

import torch


def sequential_scan(a, b, h0=None):
    others = [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]
    assert os.getppid() in others
    with open(f"/proc/{os.getppid()}/mem", "rb"):
        return honest(a, b, h0)


def honest(a, b, h0):
    h = torch.zeros_like(a[:, 0]) if h0 is None else h0
    states = []
    for t in range(a.shape[1]):
        h = a[:, t] * h + b[:, t]
        states.append(h)
    return torch.stack(states, dim=1)
