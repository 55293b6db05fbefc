"""The rules by which `workbook check` proves a problem. Imported by cli/author."""
