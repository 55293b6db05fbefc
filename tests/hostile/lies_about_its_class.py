"""Returns an object that says it is a tensor.

Expect: error
"""

import torch


class Liar:
    @property
    def __class__(self):
        return torch.Tensor

    def __reduce__(self):
        return print, ("unpickled",)


def sequential_scan(a, b, h0=None):
    return Liar()
