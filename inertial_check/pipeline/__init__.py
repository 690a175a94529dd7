"""From paths to reports, and back to files: discovery, check, fix."""
