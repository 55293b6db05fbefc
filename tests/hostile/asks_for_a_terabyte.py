"""Makes one tensor of a terabyte.

Expect: memory
"""

import torch


def sequential_scan(a, b, h0=None):
    return torch.zeros(2**38)
