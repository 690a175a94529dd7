"""The robot while it was recorded: joints held, bodies merged, closed loops."""
