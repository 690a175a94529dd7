"""XML documents with byte positions: strict and lenient parsing, encodings, comments."""
