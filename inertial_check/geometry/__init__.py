"""The shapes and meshes of a model, read as evidence about its bodies."""
