"""The command line. Commands import what they need when they run, so that `workbook` alone stays instant."""

from __future__ import annotations

import sys


def main() -> None:
    """Entry point of the `workbook` command. Ctrl-C while it is still starting ends it as quietly as later."""
    if sys.platform == "win32":
        print("The workbook grades by forking, which Windows cannot: use it inside WSL.", file=sys.stderr)
        sys.exit(3)
    try:
        _finish_interrupted_change()

        from workbook.cli.app import main as run

        run()
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        sys.exit(130)


def _finish_interrupted_change() -> None:
    """Before any other module of ours is imported: the change may be one of the engine itself."""
    from pathlib import Path

    from workbook import transaction

    try:
        start = Path.cwd()
    except OSError:  # the folder is gone: the command itself will say so
        return
    try:
        done = transaction.recover(start)
    except OSError as error:
        print(
            f"A change of this workbook was interrupted and cannot be finished ({error.strerror or error}): "
            "mend that and run any command again.",
            file=sys.stderr,
        )
        sys.exit(3)
    if done:
        print(done, file=sys.stderr)
