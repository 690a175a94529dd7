"""Many documents in one run: worker processes, cache, cluster, archives, stored results."""
