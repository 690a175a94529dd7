"""Bytes to a model and back: formats, meshes, edits by span, files of a checkout."""
