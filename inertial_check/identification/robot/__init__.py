"""The robot that is identified: joints, closed loops, merged bodies, floating base."""
