"""Everything that `workbook build` makes from its sources: stubs, notebooks, lessons, README, recordings."""
