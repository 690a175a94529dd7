"""Mistakes of recordings that their own data show: units, signs, delays."""
