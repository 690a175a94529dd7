"""HTML and SVG of objects that show themselves in notebooks: escaped, small, without scripts."""
