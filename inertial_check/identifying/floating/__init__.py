"""Robots whose base moves: contact wrenches, force plates and the motion of the base."""
