"""Returns more than can travel.

Expect: error memory
"""

import torch


def sequential_scan(a, b, h0=None):
    return torch.zeros(20_000_000)
