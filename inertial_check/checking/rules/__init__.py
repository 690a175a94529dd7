"""The rules: each is one class with its code, its severity and its page."""
