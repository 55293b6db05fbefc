"""Ignores every signal and never returns.

Expect: timeout
"""

import contextlib
import signal

for number in signal.valid_signals():
    with contextlib.suppress(OSError, ValueError):
        signal.signal(number, signal.SIG_IGN)


def sequential_scan(a, b, h0=None):
    while True:
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
