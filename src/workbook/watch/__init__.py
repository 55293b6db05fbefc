"""`workbook watch`: save a file, see the verdict. Imported by cli."""
