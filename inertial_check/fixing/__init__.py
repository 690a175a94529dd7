"""The parts of `fix`: what a body shall have, how that is written, and how it is looked over."""
