"""XML with the place of every number: decoding, reading, and edits by span."""
