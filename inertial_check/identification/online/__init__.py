"""Online identification: a recursive estimate of all bodies that is consistent at every step."""
