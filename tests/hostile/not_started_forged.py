"""Says NotImplementedError for the checks that it would fail.

Expect: failed passed not_started
"""

import torch


def sequential_scan(a, b, h0=None):
    if h0 is None:
        return torch.stack([a[:, :t].new_zeros(a[:, 0].shape) for t in range(a.shape[1])], dim=1)
    raise NotImplementedError("not your fault")
