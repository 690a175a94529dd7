"""The probable causes of wrong numbers: one class, one cause, with the edit that undoes it."""
