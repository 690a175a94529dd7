"""The identification of a payload from a wrist sensor or from joint torques."""
