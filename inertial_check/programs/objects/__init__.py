"""Models that MuJoCo, Drake and Pinocchio have loaded, checked and repaired."""
