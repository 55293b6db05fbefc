"""Wrapped by a decorator of the learner's own, and bound to its name with functools.partial."""

import functools

import torch


def checked(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        result = function(*args, **kwargs)
        assert result.shape == args[0].shape
        return result

    return wrapper


@checked
def scan_over(a, b, h0=None, *, dim):
    h = torch.zeros_like(a.select(dim, 0)) if h0 is None else h0
    states = []
    for t in range(a.shape[dim]):
        h = a.select(dim, t) * h + b.select(dim, t)
        states.append(h)
    return torch.stack(states, dim=dim)


sequential_scan = functools.partial(scan_over, dim=1)
