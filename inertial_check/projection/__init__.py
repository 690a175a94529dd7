"""The nearest body that can exist, with its certificate."""
