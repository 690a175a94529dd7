"""What a robot carries: payloads in hand and loads of single recordings."""
