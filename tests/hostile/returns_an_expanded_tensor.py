"""Returns a tensor that takes no memory here and a terabyte once it is written out.

Expect: error memory
"""

import torch


def sequential_scan(a, b, h0=None):
    return torch.zeros(1).expand(2**38)
