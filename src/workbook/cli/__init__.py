"""The command line. Commands import what they need when they run, so that `workbook` alone stays instant."""

from __future__ import annotations

from workbook.cli.app import main

__all__ = ["main"]
