"""Multiplies with the lower triangular matrix of all products of gates, which are built without division."""

import torch


def sequential_scan(a, b, h0=None):
    if h0 is not None:
        first = torch.zeros_like(b)
        first[:, 0] = a[:, 0] * h0
        b = b + first
    length = a.shape[1]
    later = torch.ones(length, length, dtype=torch.bool, device=a.device).tril(-1)
    # The factor that step s passes on to step t is the product of the gates s+1 ... t.
    factors = torch.where(later[None, :, :, None], a[:, :, None, :], torch.ones_like(a[:, :1, None, :])).cumprod(dim=1)
    lower = torch.ones(length, length, dtype=a.dtype, device=a.device).tril()
    return torch.einsum("btsd,ts,bsd->btd", factors, lower, b)
