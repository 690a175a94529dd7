"""Shapes and meshes of a model as evidence about its bodies."""
