"""Defects planted into real models, and what a check says of them and of sound bodies."""
