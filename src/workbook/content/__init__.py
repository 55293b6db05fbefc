"""What a workbook is made of: problems, their files, signatures and hints. Anyone may import it but worker, which never reads content."""
