"""Where other programs meet this one: models that libraries have loaded, and pytest."""
