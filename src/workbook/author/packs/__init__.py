"""Problems as packs: one problem's files in a folder or zip, to be put into a workbook or taken out of one."""
