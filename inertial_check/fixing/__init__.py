"""The command `fix`: requests, methods that propose new numbers, and edits of documents."""
