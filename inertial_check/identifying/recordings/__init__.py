"""The recordings of a robot: files joined, columns matched to joints, signals made motions."""
