"""Bodies that a robot carries: payloads in hand, and loads of single recordings."""
