"""A Report as text: for the terminal, as JSON. JUnit XML is pytest's own."""
