"""From recordings of motion and torques to consistent bodies in the robot's own file."""
