"""The first place where two values differ, why, and in which words. Imported by checks and by authors."""
