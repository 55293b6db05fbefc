"""Files written whole and archives read within limits. Imported by whoever changes a workbook."""
