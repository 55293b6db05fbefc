"""Single keys from the terminal, without waiting for Enter; none at all where there is no terminal."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
from collections.abc import Iterator
from typing import Any

ESCAPE = "\x1b"


class Bell:
    """Wakes the main loop from another thread or a signal: a pipe that it waits on beside the keyboard."""

    def __init__(self) -> None:
        self.read, self._write = os.pipe()
        os.set_blocking(self.read, False)
        os.set_blocking(self._write, False)

    def ring(self, *_: Any) -> None:
        with contextlib.suppress(OSError):  # full: it rings already
            os.write(self._write, b"!")

    def quiet(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while os.read(self.read, 4096):
                pass


class Keys:
    """The keyboard. `wait` returns a key, or "" when the bell rang; "q" at the end of input."""

    def __init__(self, bell: Bell) -> None:
        self._bell = bell
        self.available = sys.stdin is not None and sys.stdin.isatty()

    @contextlib.contextmanager
    def raw(self) -> Iterator[None]:
        """Keys come one by one and are not echoed; Ctrl-C still interrupts. The terminal is put back afterwards."""
        if not self.available:
            yield
            return
        import termios
        import tty

        descriptor = sys.stdin.fileno()
        before = termios.tcgetattr(descriptor)
        old = signal.signal(signal.SIGWINCH, self._bell.ring)
        try:
            tty.setcbreak(descriptor)
            yield
        finally:
            termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
            signal.signal(signal.SIGWINCH, old)

    def wait(self) -> str:
        """The next key, or "" where the bell rang first."""
        sources: list[Any] = [self._bell.read]
        if self.available:
            sources.append(sys.stdin.fileno())
        ready = select.select(sources, [], [])[0]
        if self._bell.read in ready:
            self._bell.quiet()
            return ""
        typed = os.read(sys.stdin.fileno(), 64).decode(errors="replace")
        if not typed:
            return "q"  # the terminal is gone
        # An arrow or function key arrives as several characters: it is no command of ours.
        return "" if typed.startswith(ESCAPE) else typed[0]
