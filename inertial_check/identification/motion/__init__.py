"""From recordings to motions: filtered signals, derivatives, samples, friction."""
