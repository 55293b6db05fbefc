"""Returns nonsense that a thread makes right after a while.

Expect: failed passed error timeout
"""

import threading
import time

import torch


def sequential_scan(a, b, h0=None):
    right = honest(a, b, h0)
    result = torch.zeros_like(right)

    def repair():
        time.sleep(0.02)
        with torch.no_grad():
            result.data.copy_(right.detach())

    threading.Thread(target=repair, daemon=True).start()
    return result


def honest(a, b, h0):
    h = torch.zeros_like(a[:, 0]) if h0 is None else h0
    states = []
    for t in range(a.shape[1]):
        h = a[:, t] * h + b[:, t]
        states.append(h)
    return torch.stack(states, dim=1)
