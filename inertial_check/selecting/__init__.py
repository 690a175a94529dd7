"""The choice of what is checked and reported: discovery, suppressions and the baseline."""
