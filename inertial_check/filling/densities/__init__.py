"""Densities of cells that meet what is known and deviate least from nominal ones."""
