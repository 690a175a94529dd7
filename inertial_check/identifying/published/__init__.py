"""Published base parameters, read from a file and made consistent bodies."""
