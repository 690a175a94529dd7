"""The report as a page: a model becomes a scene, and scenes become one HTML file."""
