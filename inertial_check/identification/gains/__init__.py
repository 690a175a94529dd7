"""Drive gains that are identified with the bodies, from recorded currents."""
