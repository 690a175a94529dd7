"""Methods of identification that simulate the robot: instrumental variables and DIDIM."""
