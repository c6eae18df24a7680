"""The command line: one command per file; the only place that prints and the only one that exits."""
