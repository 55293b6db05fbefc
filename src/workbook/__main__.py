"""`python -m workbook` is the `workbook` command."""

from workbook.cli import main

main()
