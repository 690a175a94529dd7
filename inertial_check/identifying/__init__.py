"""The steps from recordings and a robot's file to identified bodies."""
