"""`workbook watch`: save a file, see the verdict. Files, keys, screen and the loop that joins them."""
