"""The closed form with a gate of 0 replaced by 1e-12, in float64: right until the product underflows."""

import torch


def sequential_scan(a, b, h0=None):
    gates = torch.where(a == 0, torch.full_like(a, 1e-12), a).double()
    products = torch.cumprod(gates, dim=1)
    start = 0.0 if h0 is None else h0[:, None].double()
    return (products * (start + torch.cumsum(b.double() / products, dim=1))).to(a.dtype)
