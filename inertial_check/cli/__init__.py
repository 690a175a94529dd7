"""The command line: arguments -> pipeline -> report -> exit code."""
