"""Replies with handles in place of values.

Expect: failed error passed
"""

import workbook.worker.operations as operations
from workbook.wire.codec import Handle

operations._plain = lambda value: Handle(1, "Tensor")


def sequential_scan(a, b, h0=None):
    return Handle(2**63, "\u202eTensor\x1b[31m")
