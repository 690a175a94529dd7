"""The processing of recorded signals, and the diagnosis of errors in them."""
