"""The command line. Commands import what they need when they run, so that `workbook` alone stays instant."""

from __future__ import annotations

import sys


def main() -> None:
    """Entry point of the `workbook` command. Ctrl-C while it is still starting ends it as quietly as later."""
    try:
        from workbook.cli.app import main as run

        run()
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        sys.exit(130)
