"""A run over many documents: worker processes, clusters, the cache and changed files."""
