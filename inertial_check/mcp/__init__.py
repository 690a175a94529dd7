"""The server of the Model Context Protocol, by which coding agents check and fix models."""
