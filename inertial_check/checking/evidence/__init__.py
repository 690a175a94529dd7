"""The evidence beside the numbers of a body: its shapes, its joints, its twins."""
